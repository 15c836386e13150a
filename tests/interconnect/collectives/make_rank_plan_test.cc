// Which requests there are plans for, and how algorithms are called.
#include <gtest/gtest.h>

#include "interconnect/collectives/algorithms.h"
#include "interconnect/collectives/plan_builder.h"
#include "tests/interconnect/collectives/requests.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using testing::AlgorithmsFor;
using testing::Describe;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::MakeRequest;
using testing::StatusIs;

TEST(MakeRankPlan, SaysWhatIsWrongWithARequest) {
  const PlanRequest good =
      MakeRequest(Collective::kAllReduce, Algorithm::kTorus2d, 6, 100, 10);
  EXPECT_THAT(MakeRankPlan(good, 5), IsOk());
  const auto refused = [&](auto change, const char* what, int rank = 0) {
    PlanRequest bad = good;
    change(bad);
    EXPECT_THAT(MakeRankPlan(bad, rank),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(what)));
  };
  const auto same = [](PlanRequest&) {};
  refused(same, "all_reduce by torus2d: rank 6: must be 0..5", 6);
  refused(same, "rank -1: must be 0..5", -1);
  refused([](PlanRequest& r) { r.ring = {}; }, "no ranks");
  refused([](PlanRequest& r) { r.ring[0] = r.ring[1]; },
          "twice: must visit each of 0..5 once");
  refused([](PlanRequest& r) { r.ring[2] = 6; }, "the ring visits rank 6: ");
  refused([](PlanRequest& r) { r.rows = 3; },
          "a grid of 3 x 3: rows x columns must be the 6 ranks");
  refused([](PlanRequest& r) { r.rows = -2, r.columns = -3; }, "-2 x -3");
  refused([](PlanRequest& r) { r.elements = -1; }, "-1 elements: must be 0..");
  refused([](PlanRequest& r) { r.elements = kMostElements + 1; },
          "elements: must be 0..");
  refused([](PlanRequest& r) { r.chunk_elements = 0; },
          "chunks of 0 elements: must be at least 1");
  refused([](PlanRequest& r) { r.collective = Collective::kBroadcast; },
          "broadcast by torus2d: is done only by ring halving_doubling");
  refused(
      [](PlanRequest& r) {
        r.collective = Collective::kBroadcast;
        r.algorithm = Algorithm::kRing;
        r.root = 6;
      },
      "root 6: must be 0..5");
  refused(
      [](PlanRequest& r) {
        r.collective = Collective::kAllToAll;
        r.algorithm = Algorithm::kDirect;
      },
      "100 elements: must be a multiple of the 6 ranks");
}

// Every plan of a buffer of tebibytes is made, and stays small.
TEST(MakeRankPlan, HugeBuffersHavePlansOfABoundedLength) {
  for (const Algorithm algorithm : AllAlgorithms()) {
    const PlanRequest request = MakeRequest(Collective::kAllReduce, algorithm,
                                            4, std::int64_t{1} << 40, 65536);
    ASSERT_OK_AND_ASSIGN(const RankPlan plan, MakeRankPlan(request, 1));
    EXPECT_LE(plan.ops.size(), 6 * kMostChunks) << Describe(request);
  }
}

TEST(Algorithms, AreFoundByTheirNames) {
  for (const Algorithm algorithm : AllAlgorithms()) {
    EXPECT_EQ(AlgorithmNamed(NameOf(algorithm)), algorithm);
  }
  for (const char* name : {"all_reduce", "reduce_scatter", "all_gather",
                           "broadcast", "all_to_all", "barrier"}) {
    const auto collective = CollectiveNamed(name);
    ASSERT_TRUE(collective.has_value()) << name;
    EXPECT_EQ(NameOf(*collective), name);
    EXPECT_FALSE(AlgorithmsFor(*collective).empty());
  }
  EXPECT_EQ(AlgorithmNamed("auto"), std::nullopt);
  EXPECT_EQ(CollectiveNamed("reduce"), std::nullopt);
}

}  // namespace
}  // namespace podsim
