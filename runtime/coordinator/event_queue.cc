// Two queues, merged by number; see event_queue.h.
#include "runtime/coordinator/event_queue.h"

#include <utility>

#include "base/status.h"

namespace podsim {

void EventQueue::Put(EventLine line) {
  bytes_ += line.text.size();
  std::deque<Waiting>& queue = line.step ? steps_ : others_;
  queue.push_back({.number = next_number_++, .text = std::move(line.text)});
  while (bytes_ > max_bytes_ && !steps_.empty()) DropOldestStep();
}

bool EventQueue::next_is_step() const {
  if (steps_.empty() || others_.empty()) return others_.empty();
  return steps_.front().number < others_.front().number;
}

EventLine EventQueue::Take() {
  PODSIM_CHECK(!empty());
  const bool step = next_is_step();
  std::deque<Waiting>& queue = step ? steps_ : others_;
  EventLine line = {.text = std::move(queue.front().text), .step = step};
  queue.pop_front();
  bytes_ -= line.text.size();
  return line;
}

void EventQueue::KeepNewestStep() {
  while (steps_.size() > 1) DropOldestStep();
}

void EventQueue::Clear() {
  steps_.clear();
  others_.clear();
  bytes_ = 0;
}

void EventQueue::DropOldestStep() {
  bytes_ -= steps_.front().text.size();
  steps_.pop_front();
  ++dropped_;
}

}  // namespace podsim
