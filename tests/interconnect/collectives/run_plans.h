// Buffers of any element type, and plans run on them by real executors over the
// fake network.
#ifndef PODSIM_TESTS_INTERCONNECT_COLLECTIVES_RUN_PLANS_H_
#define PODSIM_TESTS_INTERCONNECT_COLLECTIVES_RUN_PLANS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "interconnect/collectives/plan.h"
#include "interconnect/collectives/reduce.h"

namespace podsim::testing {

using Bytes = std::vector<std::byte>;

// REQUIRES: every value is one of `type` exactly; int32 wraps around.
Bytes Encode(ElementType type, const std::vector<double>& values);
std::vector<double> Decode(ElementType type, const Bytes& bytes);

Bytes EncodeFloats(const std::vector<float>& values);

// One collective: plans and buffers by rank.
struct TestCollective {
  std::vector<RankPlan> plans;
  std::vector<Bytes> buffers;
};

// Runs all of them at once, started by each rank in an order and at times drawn
// from `seed`, with so few bytes in flight that credit runs out. Adds test
// failures if that does not end, or if a buffer changed while it was sent.
void RunTogether(std::vector<TestCollective>& collectives,
                 const ElementRules& rules, std::uint32_t seed);

// The same with one.
void RunPlans(std::vector<RankPlan> plans, const ElementRules& rules,
              std::uint32_t seed, std::vector<Bytes>& buffers);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_INTERCONNECT_COLLECTIVES_RUN_PLANS_H_
