// Who computes the panels of an op.
#ifndef PODSIM_HOST_CORE_PARALLEL_FOR_H_
#define PODSIM_HOST_CORE_PARALLEL_FOR_H_

#include <cstdint>
#include <functional>

namespace podsim {

// Runs fn(0) ... fn(count - 1), in any order and on any threads, and returns
// when all are done. A board gives its thread pool; tests may give a loop.
class ParallelFor {
 public:
  virtual ~ParallelFor() = default;
  virtual void Run(std::int64_t count,
                   const std::function<void(std::int64_t)>& fn) = 0;
  // A task says that it got further: a panel of rows goes through many ops,
  // and whoever watches for progress need not wait for all of them.
  virtual void Advance() {}
};

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_PARALLEL_FOR_H_
