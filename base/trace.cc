#include "base/trace.h"

#include <atomic>
#include <utility>

namespace podsim {
namespace {
std::uint64_t ThreadNumber() {
  static std::atomic<std::uint64_t> next{0};
  thread_local const std::uint64_t number = next.fetch_add(1);
  return number;
}
}  // namespace

void Tracer::Record(SpanRecord span) {
  MutexLock lock(mutex_);
  SpanTotal& total = totals_[span.name];
  ++total.count;
  total.duration += span.duration;
  if (ring_.size() < capacity_) {
    ring_.push_back(std::move(span));
    return;
  }
  if (capacity_ == 0) return;
  ring_[next_] = std::move(span);
  next_ = (next_ + 1) % capacity_;
}

void Tracer::Add(std::string_view counter, std::int64_t amount) {
  MutexLock lock(mutex_);
  auto it = counters_.find(counter);
  if (it == counters_.end()) it = counters_.emplace(counter, 0).first;
  it->second += amount;
}

std::vector<SpanRecord> Tracer::Spans() const {
  MutexLock lock(mutex_);
  std::vector<SpanRecord> in_order(ring_.begin() + next_, ring_.end());
  in_order.insert(in_order.end(), ring_.begin(), ring_.begin() + next_);
  return in_order;
}

std::map<std::string, SpanTotal, std::less<>> Tracer::Totals() const {
  MutexLock lock(mutex_);
  return totals_;
}

std::map<std::string, std::int64_t, std::less<>> Tracer::Counters() const {
  MutexLock lock(mutex_);
  return counters_;
}

Span::Span(Tracer& tracer, std::string_view name, std::string_view detail)
    : tracer_(tracer) {
  record_.name = name;
  record_.detail = detail;
  record_.begin = tracer.Now();
  record_.thread = ThreadNumber();
}

Span::~Span() {
  record_.duration = tracer_.Now() - record_.begin;
  tracer_.Record(std::move(record_));
}

}  // namespace podsim
