// What a ring all-reduce must give, written as plainly as possible, and inputs
// that show the order of a sum.
#ifndef PODSIM_TESTS_INTERCONNECT_COLLECTIVES_RING_ORACLE_H_
#define PODSIM_TESTS_INTERCONNECT_COLLECTIVES_RING_ORACLE_H_

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "interconnect/collectives/plan.h"

namespace podsim::testing {

// The bits are those of one fixed order of additions: segment r belongs to rank
// r, and its fold starts right behind the owner, at position p + 1 if the owner
// stands at p:
//   ((x[p+1] + x[p+2]) + ...) + x[p]     positions, mod W.
using Addition = std::function<float(float, float)>;

inline std::vector<float> RingSum(const std::vector<int>& order,
                                  const std::vector<std::vector<float>>& x,
                                  const Addition& add = std::plus<float>()) {
  const int world = static_cast<int>(order.size());
  const std::int64_t elements = static_cast<std::int64_t>(x[0].size());
  std::vector<float> sum(x[0].size());
  for (int p = 0; p < world; ++p) {
    const Range segment = SegmentOf(elements, world, order[p]);
    for (std::int64_t i = segment.begin; i < segment.begin + segment.count;
         ++i) {
      float received = x[order[(p + 1) % world]][i];
      for (int hop = 2; hop <= world; ++hop) {
        received = add(received, x[order[(p + hop) % world]][i]);
      }
      sum[i] = received;
    }
  }
  return sum;
}

// Values of many magnitudes and both signs, so that the order of a sum shows.
inline std::vector<std::vector<float>> RandomInputs(int world,
                                                    std::int64_t elements,
                                                    std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::vector<float>> inputs(world);
  for (auto& input : inputs) {
    for (std::int64_t i = 0; i < elements; ++i) {
      const float scale = static_cast<float>(1 << (random() % 24));
      input.push_back((static_cast<float>(random() % 65536) - 32768) / scale);
    }
  }
  return inputs;
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_INTERCONNECT_COLLECTIVES_RING_ORACLE_H_
