#include "host/train/step_gate.h"

#include <algorithm>
#include <chrono>

namespace podsim {
namespace {

constexpr std::chrono::milliseconds kGateWait(100);

}  // namespace

StepGate::Next StepGate::After(std::int64_t step) {
  MutexLock lock(mutex_);
  begun_ = std::max(begun_, step);
  while (held_ && !open_) changed_.WaitFor(mutex_, kGateWait);
  const Next next = {.save = save_after_.erase(step) > 0,
                     .end = end_after_ >= 0 && step >= end_after_};
  if (!next.end) begun_ = step + 1;
  return next;
}

std::int64_t StepGate::Hold() {
  MutexLock lock(mutex_);
  held_ = true;
  return begun_;
}

void StepGate::Go(std::int64_t step, bool end) {
  MutexLock lock(mutex_);
  held_ = false;
  save_after_.insert(step);
  if (end) end_after_ = step;
  changed_.NotifyAll();
}

void StepGate::Open() {
  MutexLock lock(mutex_);
  open_ = true;
  changed_.NotifyAll();
}

}  // namespace podsim
