// Panels on the board's threads, each of them a sign of progress.
#ifndef PODSIM_HOST_TRAIN_COUNTING_PARALLEL_FOR_H_
#define PODSIM_HOST_TRAIN_COUNTING_PARALLEL_FOR_H_

#include <cstdint>
#include <functional>

#include "host/board/progress.h"
#include "host/board/thread_pool.h"
#include "host/core/parallel_for.h"

namespace podsim {

// Runs panels on the board's threads and counts each op on a panel as progress.
class CountingParallelFor final : public ParallelFor {
 public:
  CountingParallelFor(int threads, Progress& progress)
      : pool_(threads), progress_(progress) {}
  void Run(std::int64_t count,
           const std::function<void(std::int64_t)>& fn) override {
    pool_.Run(count, [&](std::int64_t index) {
      fn(index);
      progress_.Count(1);
    });
  }

  void Advance() override { progress_.Count(1); }
  int threads() const { return pool_.threads(); }

 private:
  ThreadPool pool_;
  Progress& progress_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_TRAIN_COUNTING_PARALLEL_FOR_H_
