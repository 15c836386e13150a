// What a host process is doing, for its lease: a counter that moves only when
// work gets done, the step, and the phase in words. Thread-safe.
#ifndef PODSIM_HOST_BOARD_PROGRESS_H_
#define PODSIM_HOST_BOARD_PROGRESS_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "interconnect/collectives/waiting.h"

namespace podsim {

class Progress {
 public:
  struct Snapshot {
    std::uint64_t count = 0;
    std::int64_t step = 0;
    std::string phase;
    Waiting waiting;  // host -1: for nobody
  };

  // Finished panels, frames, I/O blocks; never heartbeats.
  void Count(std::uint64_t done) {
    count_.fetch_add(done, std::memory_order_relaxed);
  }
  void Enter(std::int64_t step, std::string phase) {
    MutexLock lock(mutex_);
    step_ = step;
    phase_ = std::move(phase);
    Count(1);
  }
  void SetWaiting(Waiting waiting) {
    MutexLock lock(mutex_);
    waiting_ = std::move(waiting);
  }
  Snapshot snapshot() const {
    MutexLock lock(mutex_);
    return {count_.load(std::memory_order_relaxed), step_, phase_, waiting_};
  }

 private:
  std::atomic<std::uint64_t> count_{0};
  mutable Mutex mutex_;
  std::int64_t step_ PODSIM_GUARDED_BY(mutex_) = 0;
  std::string phase_ PODSIM_GUARDED_BY(mutex_) = "starting";
  Waiting waiting_ PODSIM_GUARDED_BY(mutex_);
};

}  // namespace podsim

#endif  // PODSIM_HOST_BOARD_PROGRESS_H_
