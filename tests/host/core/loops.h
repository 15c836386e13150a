// ParallelFors for tests: in order, in reverse, and on several threads.
#ifndef PODSIM_TESTS_HOST_CORE_LOOPS_H_
#define PODSIM_TESTS_HOST_CORE_LOOPS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "host/core/core.h"

namespace podsim::testing {

class Sequential final : public ParallelFor {
 public:
  void Run(std::int64_t count,
           const std::function<void(std::int64_t)>& fn) override {
    for (std::int64_t i = 0; i < count; ++i) fn(i);
  }
};

class Reversed final : public ParallelFor {
 public:
  void Run(std::int64_t count,
           const std::function<void(std::int64_t)>& fn) override {
    for (std::int64_t i = count; i-- > 0;) fn(i);
  }
};

// Takes the next free index, so that who computes what differs between runs.
class Threads final : public ParallelFor {
 public:
  explicit Threads(int threads) : threads_(threads) {}
  void Run(std::int64_t count,
           const std::function<void(std::int64_t)>& fn) override {
    std::atomic<std::int64_t> next{0};
    std::vector<std::jthread> workers;
    workers.reserve(static_cast<std::size_t>(threads_));
    for (int t = 0; t < threads_; ++t)
      workers.emplace_back([&] {
        for (std::int64_t i = next++; i < count; i = next++) fn(i);
      });
  }

 private:
  int threads_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_CORE_LOOPS_H_
