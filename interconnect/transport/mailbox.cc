// Three queues under one lock; one event is popped at a time, so that an
// express frame overtakes bulk frames that are already queued.
#include "interconnect/transport/mailbox.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace podsim {
namespace {
// Longer waits are cut, which keeps the arithmetic of clocks from overflowing.
constexpr absl::Duration kLongestWait = absl::Minutes(1);
}  // namespace

std::deque<Event>& Mailbox::QueueFor(const Event& event) {
  if (const auto* arrival = std::get_if<Arrival>(&event)) {
    return arrival->header.lane == Lane::kExpress ? express_ : bulk_;
  }
  return std::holds_alternative<PeerLost>(event) ? bulk_ : urgent_;
}

std::size_t Mailbox::SizeLocked() const {
  return urgent_.size() + express_.size() + bulk_.size();
}

void Mailbox::Push(Event event) {
  {
    MutexLock lock(mutex_);
    // A refused event dies with the argument, after the lock is released.
    if (closed_) return;
    QueueFor(event).push_back(std::move(event));
  }
  changed_.NotifyOne();
}

std::optional<Event> Mailbox::Pop() {
  MutexLock lock(mutex_);
  for (auto* queue : {&urgent_, &express_, &bulk_}) {
    if (queue->empty()) continue;
    std::optional<Event> event(std::move(queue->front()));
    queue->pop_front();
    return event;
  }
  return std::nullopt;
}

std::size_t Mailbox::size() const {
  MutexLock lock(mutex_);
  return SizeLocked();
}

void Mailbox::WaitFor(absl::Duration max_wait) {
  const auto until =
      std::chrono::steady_clock::now() +
      absl::ToChronoNanoseconds(std::min(max_wait, kLongestWait));
  MutexLock lock(mutex_);
  while (SizeLocked() == 0 && !woken_) {
    const auto left = until - std::chrono::steady_clock::now();
    if (left <= std::chrono::nanoseconds(0)) break;
    changed_.WaitFor(mutex_, left);
  }
  woken_ = false;
}

void Mailbox::Wake() {
  {
    MutexLock lock(mutex_);
    woken_ = true;
  }
  changed_.NotifyOne();
}

void Mailbox::DropArrivals(const FrameFilter& which) {
  std::vector<Event> dropped;  // dies after the lock is released
  MutexLock lock(mutex_);
  for (auto* queue : {&express_, &bulk_}) {
    std::deque<Event> kept;
    for (Event& event : *queue) {
      const auto* arrival = std::get_if<Arrival>(&event);
      if (arrival != nullptr && which(arrival->header)) {
        dropped.push_back(std::move(event));
      } else {
        kept.push_back(std::move(event));
      }
    }
    queue->swap(kept);
  }
}

void Mailbox::Close() {
  std::deque<Event> urgent, express, bulk;  // die after the lock is released
  MutexLock lock(mutex_);
  closed_ = true;
  urgent.swap(urgent_);
  express.swap(express_);
  bulk.swap(bulk_);
}

}  // namespace podsim
