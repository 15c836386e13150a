// The worker threads of one host process: they compute the panels of a
// segment. Threads share out whole tasks; which thread takes which decides
// nothing about bits.
//
//   ThreadPool pool(FairShare(AvailableCpus(), processes));
//   pool.Run(panels, [&](std::int64_t panel) { Multiply(panel); });
#ifndef PODSIM_HOST_BOARD_THREAD_POOL_H_
#define PODSIM_HOST_BOARD_THREAD_POOL_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "host/core/core.h"

namespace podsim {

// One owner: Run is for one thread at a time and not from inside a task.
class ThreadPool final : public ParallelFor {
 public:
  // `threads` counts the caller of Run, so that threads - 1 are started. If the
  // system refuses some, a warning is logged and the pool works with fewer.
  // REQUIRES: threads >= 1.
  explicit ThreadPool(int threads);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Tasks are handed out in ascending order and must not throw (that ends the
  // program). What tasks wrote is visible to the caller afterwards.
  void Run(std::int64_t count,
           const std::function<void(std::int64_t)>& fn) override;

  // The caller among them.
  int threads() const { return static_cast<int>(workers_.size()) + 1; }

 private:
  // One Run, on its caller's stack. Workers enter and leave it under mutex_,
  // and Run waits for those inside, so none ever sees a dead one.
  struct Loop {
    std::int64_t count;
    const std::function<void(std::int64_t)>& fn;
    std::atomic<std::int64_t> next{0};
  };
  static void Work(Loop& loop) noexcept;
  void WorkerLoop();
  // Waits for a loop newer than `seen`; nullptr to stop.
  Loop* Enter(std::uint64_t& seen) PODSIM_EXCLUDES(mutex_);
  void Leave() PODSIM_EXCLUDES(mutex_);
  // No worker may enter from here on; returns when all have left.
  void Close() PODSIM_EXCLUDES(mutex_);

  std::atomic<bool> running_{false};
  // Copies of guarded state that a spinning thread may read without the lock.
  std::atomic<std::uint64_t> posted_{0};  // loops so far, and one for the stop
  std::atomic<int> inside_{0};            // workers in the current loop

  Mutex mutex_;
  CondVar wake_;  // workers: a loop came
  CondVar idle_;  // Run: the last worker left
  Loop* loop_ PODSIM_GUARDED_BY(mutex_) = nullptr;
  bool stopping_ PODSIM_GUARDED_BY(mutex_) = false;
  int sleeping_ PODSIM_GUARDED_BY(mutex_) = 0;

  std::vector<std::jthread> workers_;  // last: they use all of the above
};

}  // namespace podsim

#endif  // PODSIM_HOST_BOARD_THREAD_POOL_H_
