// One thread's share of a step: its rows through every product, with operands
// of its own. Weights are copied per thread, so that no thread waits for one
// that packs; weight gradients of the threads are not added up.
#ifndef PODSIM_BENCH_PEERS_PRODUCTS_THREAD_STEP_H_
#define PODSIM_BENCH_PEERS_PRODUCTS_THREAD_STEP_H_

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "library.h"
#include "product.h"

namespace podsim::peers {

class ThreadStep {
 public:
  // Fills the operands at random, rounded to `dtype`. Prepares nothing.
  ThreadStep(std::int64_t rows, const std::string& dtype, std::uint64_t seed);

  // By the thread that will run.
  void PrepareWith(const Prepare& prepare);
  void Run() const;

  // Elements that are wrong among some drawn from every product's result; the
  // results are set to NaN, to be computed anew.
  std::int64_t CountWrong();

 private:
  struct Task {
    Product product;
    std::vector<float> a;
    std::vector<float> b;
    std::vector<float> c;
    std::function<void()> run;
  };

  std::mt19937_64 random_;
  std::vector<Task> tasks_;
};

}  // namespace podsim::peers

#endif  // PODSIM_BENCH_PEERS_PRODUCTS_THREAD_STEP_H_
