// When steps ended, and whether there were enough of them.
#ifndef PODSIM_BENCH_PEERS_PRODUCTS_STEP_TIMES_H_
#define PODSIM_BENCH_PEERS_PRODUCTS_STEP_TIMES_H_

#include <algorithm>
#include <chrono>
#include <numeric>
#include <vector>

namespace podsim::peers {

// Not thread-safe: ticks come from one thread at a time, with a barrier behind.
class StepTimes {
 public:
  // Done when the steps after the first `warm_up` took `seconds`, at least one.
  StepTimes(int warm_up, double seconds)
      : skipped_(warm_up), seconds_(seconds) {}

  // At the first step's begin and at every step's end.
  void Tick() {
    const auto now = std::chrono::steady_clock::now();
    if (ticks_++ > skipped_)
      steps_.push_back(std::chrono::duration<double>(now - last_).count());
    last_ = now;
    done_ = !steps_.empty() && total() >= seconds_;
  }

  bool done() const { return done_; }
  long steps() const { return static_cast<long>(steps_.size()); }
  double mean() const { return total() / static_cast<double>(steps_.size()); }
  double least() const { return *std::ranges::min_element(steps_); }
  double most() const { return *std::ranges::max_element(steps_); }
  double median() const {
    auto sorted = steps_;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }

 private:
  double total() const {
    return std::accumulate(steps_.begin(), steps_.end(), 0.0);
  }

  int skipped_;
  double seconds_;
  int ticks_ = 0;
  std::chrono::steady_clock::time_point last_;
  std::vector<double> steps_;
  bool done_ = false;
};

}  // namespace podsim::peers

#endif  // PODSIM_BENCH_PEERS_PRODUCTS_STEP_TIMES_H_
