// Lines of events that wait for their reader, in order and bounded. When the
// reader falls behind, steps are given up, the oldest first; what says how the
// job stands (formed, saved, failed, done and the rest) never is, and there is
// little of it. Pure; one thread at a time.
//
//   EventQueue queue(kMaxWaitingBytes);
//   queue.Put({.text = "{...}\n", .step = true});
//   while (!queue.empty()) Write(queue.Take().text);
#ifndef PODSIM_RUNTIME_COORDINATOR_EVENT_QUEUE_H_
#define PODSIM_RUNTIME_COORDINATOR_EVENT_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace podsim {

struct EventLine {
  std::string text;   // with its newline
  bool step = false;  // may be given up
};

class EventQueue {
 public:
  // Steps are given up while all that waits has more than `max_bytes`.
  explicit EventQueue(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  void Put(EventLine line);
  // REQUIRES: !empty().
  EventLine Take();
  // Gives up all steps that wait but the newest, which says how far the job
  // came.
  void KeepNewestStep();
  void Clear();

  bool empty() const { return steps_.empty() && others_.empty(); }
  // REQUIRES: !empty(). Whether Take gives a step.
  bool next_is_step() const;
  std::size_t bytes() const { return bytes_; }
  // Steps given up so far.
  std::int64_t dropped() const { return dropped_; }

 private:
  struct Waiting {
    std::uint64_t number = 0;  // in the order of Put
    std::string text;
  };
  void DropOldestStep();

  const std::size_t max_bytes_;
  std::deque<Waiting> steps_;
  std::deque<Waiting> others_;
  std::uint64_t next_number_ = 0;
  std::size_t bytes_ = 0;
  std::int64_t dropped_ = 0;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_EVENT_QUEUE_H_
