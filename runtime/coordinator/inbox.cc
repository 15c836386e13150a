#include "runtime/coordinator/inbox.h"

#include <utility>

namespace podsim {

void Inbox::Put(Input input) {
  MutexLock lock(mutex_);
  contents_.inputs.push_back(std::move(input));
  changed_.NotifyOne();
}

void Inbox::Put(Committed committed) {
  MutexLock lock(mutex_);
  contents_.commits.push_back(std::move(committed));
  changed_.NotifyOne();
}

void Inbox::Put(absl::StatusOr<RunStart> start) {
  MutexLock lock(mutex_);
  contents_.start = std::move(start);
  changed_.NotifyOne();
}

void Inbox::PutSignOfLife() {
  MutexLock lock(mutex_);
  contents_.alive = true;
  changed_.NotifyOne();
}

void Inbox::Refuse(const std::string& why) {
  MutexLock lock(mutex_);
  ++contents_.refusals;
  contents_.last_refusal = why;
}

void Inbox::Stop(const std::string& reason) {
  MutexLock lock(mutex_);
  contents_.stop_reason = reason;
  changed_.NotifyOne();
}

void Inbox::Drain(const std::string& reason) {
  MutexLock lock(mutex_);
  contents_.drain_reason = reason;
  changed_.NotifyOne();
}

Inbox::Contents Inbox::Take(std::chrono::milliseconds limit) {
  MutexLock lock(mutex_);
  if (contents_.empty()) changed_.WaitFor(mutex_, limit);
  return std::exchange(contents_, {});
}

}  // namespace podsim
