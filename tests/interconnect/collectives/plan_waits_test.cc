// No wait of a plan is there for nothing.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/interconnect/collectives/plan_checks.h"
#include "tests/interconnect/collectives/requests.h"

namespace podsim {
namespace {

using testing::AllPlans;
using testing::MakeRequest;
using testing::Value;
using testing::WhatIsWrong;

// No wait of these plans is there for nothing: with any one of them gone, the
// interpreter finds an order of events in which it goes wrong. So the tests
// above can fail, and the plans wait for no more than they must.
struct Mutation {
  const char* name;
  Collective collective;
  Algorithm algorithm;
  int world;
  std::int64_t elements;
  std::int64_t chunk;
};
class EveryWait : public ::testing::TestWithParam<Mutation> {};
INSTANTIATE_TEST_SUITE_P(
    Plans, EveryWait,
    ::testing::Values(
        Mutation{"ring", Collective::kAllReduce, Algorithm::kRing, 3, 30, 5},
        Mutation{"bidir_ring", Collective::kAllReduce, Algorithm::kBidirRing, 3,
                 30, 5},
        Mutation{"torus2d", Collective::kAllReduce, Algorithm::kTorus2d, 6, 36,
                 6},
        Mutation{"halving", Collective::kAllReduce, Algorithm::kHalvingDoubling,
                 4, 32, 4},
        Mutation{"halving_of_five", Collective::kAllReduce,
                 Algorithm::kHalvingDoubling, 5, 32, 8},
        Mutation{"recursive_doubling", Collective::kAllReduce,
                 Algorithm::kHalvingDoubling, 8, 4, 4},
        Mutation{"recursive_doubling_of_five", Collective::kAllReduce,
                 Algorithm::kHalvingDoubling, 5, 4, 4},
        Mutation{"direct_one_step", Collective::kAllReduce, Algorithm::kDirect,
                 4, 10, 5},
        Mutation{"direct_two_steps", Collective::kAllReduce, Algorithm::kDirect,
                 3, 65536, 20000},
        Mutation{"halving_scatter", Collective::kReduceScatter,
                 Algorithm::kHalvingDoubling, 5, 30, 100},
        Mutation{"doubling_gather", Collective::kAllGather,
                 Algorithm::kHalvingDoubling, 5, 30, 100},
        Mutation{"ring_broadcast", Collective::kBroadcast, Algorithm::kRing, 3,
                 30, 5},
        Mutation{"tree_broadcast", Collective::kBroadcast,
                 Algorithm::kHalvingDoubling, 6, 30, 5},
        Mutation{"all_to_all", Collective::kAllToAll, Algorithm::kDirect, 3, 30,
                 5}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_P(EveryWait, IsMissedWhenItIsGone) {
  const Mutation& m = GetParam();
  const PlanRequest request =
      MakeRequest(m.collective, m.algorithm, m.world, m.elements, m.chunk);
  const std::vector<RankPlan> plans = AllPlans(request);
  std::vector<std::vector<Value>> expected;
  ASSERT_EQ(WhatIsWrong(request, plans, 1, 0, &expected), "");
  int waits = 0;
  for (int rank = 0; rank < m.world; ++rank) {
    for (std::size_t i = 0; i < plans[rank].ops.size(); ++i) {
      for (OpSpan PlanOp::*span : {&PlanOp::after, &PlanOp::after_also}) {
        if ((plans[rank].ops[i].*span).count == 0) continue;
        ++waits;
        std::vector<RankPlan> mutant = plans;
        mutant[rank].ops[i].*span = {};
        bool noticed = false;
        for (int seed = 0; seed < 500 && !noticed; ++seed) {
          std::vector<std::vector<Value>> results;
          noticed = !WhatIsWrong(request, mutant, 1 + seed % 3, seed, &results)
                         .empty() ||
                    results != expected;
        }
        EXPECT_TRUE(noticed) << "rank " << rank << ", op " << i << ", "
                             << (span == &PlanOp::after ? "after" : "also");
      }
    }
  }
  EXPECT_GT(waits, 0);
}

}  // namespace
}  // namespace podsim
