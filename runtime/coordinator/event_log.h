// The newest events of a job, numbered 1, 2, 3, ..., for readers who each have
// their own place in it: it is every reader's queue, and bounded. Pure; one
// thread at a time (event_feed.h shares it).
//
//   EventLog log(/*generation=*/1, kMaxKeptEventBytes);
//   log.Append(event);
//   LogPlace place = *log.Find({.from_sequence = 7, .generation = 1});
//   while (const auto bytes = *log.Next(place)) Send(*bytes);
#ifndef PODSIM_RUNTIME_COORDINATOR_EVENT_LOG_H_
#define PODSIM_RUNTIME_COORDINATOR_EVENT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/event.pb.h"
#include "proto/watch.pb.h"

namespace podsim {

// Of the serialized events that are kept: some 30,000 steps of a pod of 16
// processes. The last PodFormed is kept beside them.
inline constexpr std::size_t kMaxKeptEventBytes = 16 << 20;

// Where a reader stands.
struct LogPlace {
  std::uint64_t next = 1;    // the sequence number that is to be read
  bool wants_formed = true;  // before it, the PodFormed that is kept beside
};

class EventLog {
 public:
  // A serialized WatchedEvent; readers share it with the log.
  using Bytes = std::shared_ptr<const std::string>;

  EventLog(std::uint32_t generation, std::size_t max_bytes)
      : generation_(generation), max_bytes_(max_bytes) {}

  // Gives up the oldest while there are more than `max_bytes`, but keeps the
  // new one.
  void Append(const JobEvent& event);

  // Where a reader begins who asks for this. Who asks for the oldest gets the
  // newest three quarters of `max_bytes`: the next steps would else overtake it
  // before it has read the first.
  // Errors: OUT_OF_RANGE (no longer kept, not given yet; says what there is).
  absl::StatusOr<LogPlace> Find(const WatchRequest& request) const;
  // What whoever was refused `from` can ask for instead.
  std::uint64_t Nearest(std::uint64_t from) const {
    return from < first_ ? first_ : end();
  }

  // The event at `place`, which moves on to the next; null: it has not happened
  // yet. Errors: RESOURCE_EXHAUSTED (it is no longer kept; says what there is).
  absl::StatusOr<Bytes> Next(LogPlace& place) const;

  // The oldest that is kept, and the one that comes next; equal: there is none.
  std::uint64_t first() const { return first_; }
  std::uint64_t end() const { return first_ + kept_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  void GiveUpOldest();
  std::uint64_t SafelyKept() const;

  const std::uint32_t generation_;
  const std::size_t max_bytes_;
  std::deque<Bytes> kept_;
  Bytes formed_;  // the last PodFormed, kept or given up
  std::uint64_t formed_sequence_ = 0;
  std::uint64_t first_ = 1;
  std::size_t bytes_ = 0;  // of kept_
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_EVENT_LOG_H_
