// A job's events for several readers at once: an EventLog behind a mutex, and
// who is to be told when there is more. Whoever publishes only appends: a
// thread of the feed's own wakes the readers, so that none of them, and no
// number of them, holds up the coordinator. Thread-safe.
//
//   EventFeed feed({.generation = 1});
//   EventFeed::Entry entry = feed.Enter(reader, request);
//   feed.Publish(event);  // reader->OnMore() follows
//   ... feed.Next(entry.place).bytes ...
#ifndef PODSIM_RUNTIME_COORDINATOR_EVENT_FEED_H_
#define PODSIM_RUNTIME_COORDINATOR_EVENT_FEED_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "base/mutex.h"
#include "proto/event.pb.h"
#include "runtime/coordinator/event_log.h"

namespace podsim {

// At a time: terminals, an exporter, programs. Each costs the coordinator the
// one message that is being written, and its connection.
inline constexpr int kMaxEventReaders = 16;

// Who reads, at its own pace.
class EventReader {
 public:
  virtual ~EventReader() = default;
  // There may be more, or the feed has ended. Also called when nothing has
  // happened, ten times a second. From the feed's thread; must not block.
  virtual void OnMore() = 0;
};

class EventFeed {
 public:
  struct Options {
    std::uint32_t generation = 1;
    std::size_t max_bytes = kMaxKeptEventBytes;
    int max_readers = kMaxEventReaders;
  };
  // Where a reader begins, or why it may not.
  struct Entry {
    absl::Status status = {};
    LogPlace place = {};
    // After OUT_OF_RANGE: the sequence number to ask for instead; else 0.
    std::uint64_t nearest = 0;
  };
  // What a reader finds.
  struct Found {
    absl::Status status = {};
    EventLog::Bytes bytes = {};  // null: nothing yet, or no more
    bool ended = false;          // no more
    std::uint64_t newest = 0;    // that has been published so far
    // After RESOURCE_EXHAUSTED: the sequence number to go on from; else 0.
    std::uint64_t nearest = 0;
  };

  explicit EventFeed(const Options& options);
  ~EventFeed();  // End, then joins
  EventFeed(const EventFeed&) = delete;
  EventFeed& operator=(const EventFeed&) = delete;

  // Does not block. Nothing after End.
  void Publish(const JobEvent& event);

  // Makes `reader` one of the readers, held until Leave, unless there are
  // max_readers (RESOURCE_EXHAUSTED) or `request` cannot be met (OUT_OF_RANGE).
  Entry Enter(std::shared_ptr<EventReader> reader, const WatchRequest& request);
  void Leave(const EventReader& reader);

  // The next event of whoever stands at `place`, which moves on.
  Found Next(LogPlace& place) const;

  // There will be no more events: readers read what there is. Idempotent.
  void End();

 private:
  void Loop();

  const int max_readers_;
  mutable Mutex mutex_;
  CondVar changed_;
  EventLog log_ PODSIM_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<EventReader>> readers_ PODSIM_GUARDED_BY(mutex_);
  bool news_ PODSIM_GUARDED_BY(mutex_) = false;
  bool ended_ PODSIM_GUARDED_BY(mutex_) = false;
  bool stopping_ PODSIM_GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // last: starts when all else stands
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_EVENT_FEED_H_
