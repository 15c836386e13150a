#include "base/trace/tracer.h"

#include <algorithm>
#include <iterator>

namespace podsim {
namespace {

// Spans of a block: 150 KB.
constexpr std::size_t kBlock = 1024;

}  // namespace

Tracer::Tracer(const Clock& clock, const Options& options)
    : id_([] {
        static std::atomic<std::uint64_t> last{0};
        return last.fetch_add(1, std::memory_order_relaxed) + 1;
      }()),
      clock_(clock),
      options_(options) {}

// What the thread used last is where it is looked for first. A tracer that has
// gone has an id that is not asked for.
Tracer::Buffer& Tracer::BufferOfThread() {
  thread_local std::uint64_t of = 0;
  thread_local Buffer* buffer = nullptr;
  if (of != id_) {
    buffer = &MakeBuffer();
    of = id_;
  }
  return *buffer;
}

Tracer::Buffer& Tracer::MakeBuffer() {
  MutexLock lock(mutex_);
  std::unique_ptr<Buffer>& buffer = buffers_[std::this_thread::get_id()];
  if (buffer == nullptr) buffer = std::make_unique<Buffer>();
  return *buffer;
}

void Tracer::Add(Span span) {
  Buffer& buffer = BufferOfThread();
  MutexLock lock(buffer.mutex);
  if (buffer.count >= options_.most_per_thread) {
    ++buffer.dropped;
    return;
  }
  if (buffer.count % kBlock == 0) buffer.blocks.emplace_back().reserve(kBlock);
  buffer.blocks.back().push_back(std::move(span));
  ++buffer.count;
}

TracedSpans Tracer::Take() {
  TracedSpans taken;
  MutexLock lock(mutex_);
  for (auto& [thread, buffer] : buffers_) {
    MutexLock inner(buffer->mutex);
    for (std::vector<Span>& block : buffer->blocks)
      std::move(block.begin(), block.end(), std::back_inserter(taken.spans));
    buffer->blocks.clear();
    buffer->count = 0;
    taken.dropped += std::exchange(buffer->dropped, 0);
  }
  return taken;
}

}  // namespace podsim
