// The bits that docs/collectives.md promises for an all-reduce, written as
// plainly as possible: for each algorithm its order of additions.
#ifndef PODSIM_TESTS_INTERCONNECT_COLLECTIVES_ORDER_ORACLE_H_
#define PODSIM_TESTS_INTERCONNECT_COLLECTIVES_ORDER_ORACLE_H_

#include <vector>

#include "interconnect/collectives/algorithms.h"
#include "tests/interconnect/collectives/ring_oracle.h"

namespace podsim::testing {

// Addition of bfloat16 values: in float32, then rounded to nearest even.
float AddBfloat16(float a, float b);

// ((x[0] + x[1]) + (x[2] + x[3])) + ...: halves of halves of the ranks.
// REQUIRES: the number of ranks is a power of two.
std::vector<float> TreeSum(const std::vector<std::vector<float>>& x,
                           const Addition& add = std::plus<float>());

// ((x[0] + x[1]) + x[2]) + ...
std::vector<float> RankOrderSum(const std::vector<std::vector<float>>& x,
                                const Addition& add = std::plus<float>());

// What every rank must have after an all-reduce as requested.
std::vector<float> SumInOrderOf(const PlanRequest& request,
                                const std::vector<std::vector<float>>& x,
                                const Addition& add = std::plus<float>());

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_INTERCONNECT_COLLECTIVES_ORDER_ORACLE_H_
