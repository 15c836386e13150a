// One thread that wakes readers; see event_feed.h.
#include "runtime/coordinator/event_feed.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

constexpr std::chrono::milliseconds kFeedTick(100);

}  // namespace

EventFeed::EventFeed(const Options& options)
    : max_readers_(options.max_readers),
      log_(options.generation, options.max_bytes) {
  thread_ = std::jthread([this] { Loop(); });
}

EventFeed::~EventFeed() {
  End();
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyOne();
  }
  thread_.join();
}

void EventFeed::Publish(const JobEvent& event) {
  MutexLock lock(mutex_);
  if (ended_) return;
  log_.Append(event);
  news_ = true;
  changed_.NotifyOne();
}

void EventFeed::End() {
  MutexLock lock(mutex_);
  ended_ = true;
  news_ = true;
  changed_.NotifyOne();
}

EventFeed::Entry EventFeed::Enter(std::shared_ptr<EventReader> reader,
                                  const WatchRequest& request) {
  MutexLock lock(mutex_);
  if (static_cast<int>(readers_.size()) >= max_readers_)
    return {.status = absl::ResourceExhaustedError(absl::StrCat(
                max_readers_,
                " readers watch this job already, and no more may; end one of "
                "them (pod_top), and call again"))};
  const absl::StatusOr<LogPlace> place = log_.Find(request);
  if (!place.ok())
    return {.status = place.status(),
            .nearest = log_.Nearest(request.from_sequence())};
  readers_.push_back(std::move(reader));
  return {.place = *place};
}

void EventFeed::Leave(const EventReader& reader) {
  std::shared_ptr<EventReader> left;  // goes after the lock
  MutexLock lock(mutex_);
  const auto it = std::find_if(
      readers_.begin(), readers_.end(),
      [&reader](const auto& other) { return other.get() == &reader; });
  if (it == readers_.end()) return;
  left = std::move(*it);
  readers_.erase(it);
}

EventFeed::Found EventFeed::Next(LogPlace& place) const {
  MutexLock lock(mutex_);
  absl::StatusOr<EventLog::Bytes> bytes = log_.Next(place);
  if (!bytes.ok()) return {.status = bytes.status(), .nearest = log_.first()};
  const bool ended = ended_ && *bytes == nullptr;
  return {.bytes = *std::move(bytes), .ended = ended, .newest = log_.end() - 1};
}

void EventFeed::Loop() {
  for (;;) {
    std::vector<std::shared_ptr<EventReader>> readers;
    {
      MutexLock lock(mutex_);
      if (!news_ && !stopping_) changed_.WaitFor(mutex_, kFeedTick);
      if (stopping_) return;
      news_ = false;
      readers = readers_;
    }
    for (const auto& reader : readers) reader->OnMore();
  }
}

}  // namespace podsim
