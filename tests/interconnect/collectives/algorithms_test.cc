// The plans of all algorithms by themselves, in the interpreter: every element
// reduced exactly once, all ranks alike, never stuck, nothing overwritten that
// is still being sent, and as many bytes as docs/collectives.md says.
#include "interconnect/collectives/algorithms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/interconnect/collectives/interpreter.h"
#include "tests/interconnect/collectives/plan_checks.h"
#include "tests/interconnect/collectives/requests.h"

namespace podsim {
namespace {

using testing::AlgorithmsFor;
using testing::AllPlans;
using testing::Describe;
using testing::Interpreter;
using testing::MakeRequest;
using testing::SizesFor;
using testing::WhatIsWrong;
using testing::Worlds;

// Shorter than the buffer, and longer; long buffers in short chunks take long
// and no other path.
std::vector<std::int64_t> ChunksFor(std::int64_t elements, int world) {
  if (elements > 1000) return {1000, 65536};
  if (elements == 1000 && world > 9) return {64, 65536};
  return {3, 64, 65536};
}

std::vector<PlanRequest> RequestsFor(Collective collective, Algorithm algorithm,
                                     int world) {
  std::vector<PlanRequest> requests;
  for (std::int64_t elements : SizesFor(world)) {
    if (collective == Collective::kAllToAll) elements -= elements % world;
    for (const std::int64_t chunk : ChunksFor(elements, world)) {
      requests.push_back(
          MakeRequest(collective, algorithm, world, elements, chunk));
    }
  }
  return requests;
}

// The formulas of docs/collectives.md: what all ranks send together, elements.
std::int64_t ElementsOnTheWire(const PlanRequest& request) {
  const std::int64_t w = static_cast<std::int64_t>(request.ring.size());
  const std::int64_t s = request.elements;
  const std::int64_t p =
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(w)));
  const std::int64_t e = w - p;
  const std::int64_t log2 = std::bit_width(static_cast<std::uint64_t>(p)) - 1;
  std::int64_t of_extras = 0;  // their segments
  for (int rank = static_cast<int>(p); rank < w; ++rank) {
    of_extras += SegmentOf(s, static_cast<int>(w), rank).count;
  }
  const bool halving = request.algorithm == Algorithm::kHalvingDoubling;
  switch (request.collective) {
    case Collective::kAllReduce:
      if (halving) {
        return s <= request.whole_elements ? p * log2 * s + 3 * e * s
                                           : 2 * (p - 1) * s + 2 * e * s;
      }
      return request.algorithm == Algorithm::kDirect &&
                     w * s <= kDirectOneStepElements
                 ? w * (w - 1) * s
                 : 2 * (w - 1) * s;
    case Collective::kReduceScatter:
      return halving ? (p - 1) * s + e * s + of_extras : (w - 1) * s;
    case Collective::kAllGather:
    case Collective::kBroadcast:
    case Collective::kAllToAll:
      return (w - 1) * s;
    case Collective::kBarrier:
      return w * std::bit_width(static_cast<std::uint64_t>(w - 1));
  }
  return -1;
}

class AlgorithmPlans
    : public ::testing::TestWithParam<std::tuple<Collective, int>> {
 protected:
  static Collective collective() { return std::get<0>(GetParam()); }
  static int world() { return std::get<1>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(
    All, AlgorithmPlans,
    ::testing::Combine(::testing::Values(Collective::kAllReduce,
                                         Collective::kReduceScatter,
                                         Collective::kAllGather,
                                         Collective::kBroadcast,
                                         Collective::kAllToAll),
                       ::testing::ValuesIn(Worlds())),
    [](const auto& info) {
      return std::string(NameOf(std::get<0>(info.param))) + "_" +
             std::to_string(std::get<1>(info.param));
    });

TEST_P(AlgorithmPlans, LeaveWhatTheHeaderPromises) {
  for (const Algorithm algorithm : AlgorithmsFor(collective())) {
    for (const PlanRequest& request :
         RequestsFor(collective(), algorithm, world())) {
      const std::vector<RankPlan> plans = AllPlans(request);
      for (const int in_flight : {1, 3}) {
        // Long buffers take long: each chunk length with one of the two.
        if (request.elements > 1000 &&
            (in_flight == 1) != (request.chunk_elements == 1000)) {
          continue;
        }
        const std::uint32_t seed = in_flight + request.elements;
        ASSERT_EQ(WhatIsWrong(request, plans, in_flight, seed), "")
            << Describe(request) << ", frames in flight " << in_flight
            << ", seed " << seed;
      }
    }
  }
}

TEST_P(AlgorithmPlans, SendTheBytesOfTheFormulaInFramesWithNumbersOfTheirOwn) {
  for (const Algorithm algorithm : AlgorithmsFor(collective())) {
    for (const PlanRequest& request :
         RequestsFor(collective(), algorithm, world())) {
      SCOPED_TRACE(Describe(request));
      std::int64_t sent = 0;
      for (const RankPlan& plan : AllPlans(request)) {
        std::set<std::pair<int, std::uint32_t>> frames;
        for (const PlanOp& op : plan.ops) {
          ASSERT_LE(op.range.count, request.chunk_elements);
          if (op.kind != OpKind::kSend) continue;
          ASSERT_TRUE(frames.insert({op.peer, op.chunk}).second);
          sent += op.range.count;
        }
      }
      EXPECT_EQ(sent, ElementsOnTheWire(request));
    }
  }
}

// So they can share the credit of a pair with any others.
TEST_P(AlgorithmPlans, HaveNoFrameThatWaitsForAnother) {
  for (const Algorithm algorithm : AlgorithmsFor(collective())) {
    for (const PlanRequest& request :
         RequestsFor(collective(), algorithm, world())) {
      if (request.elements > 1000) continue;  // takes long, no other path
      const std::vector<RankPlan> plans = AllPlans(request);
      const std::uint32_t seed = request.elements;
      Interpreter interpreter(plans, 3, seed);
      interpreter.RefuseFramesThatWait();
      EXPECT_TRUE(interpreter.Run()) << interpreter.error() << ", "
                                     << Describe(request) << ", seed " << seed;
    }
  }
}

// Each rank sends as much as any other where the ranks divide the buffer, and
// up to an element per step more or less elsewhere.
TEST_P(AlgorithmPlans, RingsAndToriSendAlike) {
  if (collective() != Collective::kAllReduce) return;
  for (const Algorithm algorithm :
       {Algorithm::kRing, Algorithm::kBidirRing, Algorithm::kTorus2d}) {
    for (const PlanRequest& request :
         RequestsFor(collective(), algorithm, world())) {
      for (const RankPlan& plan : AllPlans(request)) {
        std::int64_t sent = 0;
        for (const PlanOp& op : plan.ops) {
          if (op.kind == OpKind::kSend) sent += op.range.count;
        }
        EXPECT_NEAR(sent, 2.0 * (world() - 1) * request.elements / world(),
                    4.0 * (world() - 1))
            << Describe(request);
      }
    }
  }
}

// The fewest messages: a frame for each partner and phase.
TEST(HalvingDoubling, SendsOneFrameAStep) {
  for (const int world : {2, 4, 8, 16, 32}) {
    const int steps = std::bit_width(static_cast<unsigned>(world)) - 1;
    for (const auto& [elements, frames] :
         {std::pair{kRecursiveDoublingElements, steps},
          std::pair{kRecursiveDoublingElements + 1, 2 * steps}}) {
      for (const RankPlan& plan : AllPlans(
               MakeRequest(Collective::kAllReduce, Algorithm::kHalvingDoubling,
                           world, elements, 65536))) {
        EXPECT_EQ(std::count_if(plan.ops.begin(), plan.ops.end(),
                                [](const PlanOp& op) {
                                  return op.kind == OpKind::kSend;
                                }),
                  frames);
      }
    }
  }
}

TEST(Torus2d, WorksOnEveryGrid) {
  for (const int world : {1, 2, 5, 6, 8, 12, 16}) {
    for (int rows = 1; rows <= world; ++rows) {
      if (world % rows != 0) continue;
      PlanRequest request = MakeRequest(Collective::kAllReduce,
                                        Algorithm::kTorus2d, world, 1003, 17);
      request.rows = rows;
      request.columns = world / rows;
      const std::vector<RankPlan> plans = AllPlans(request);
      for (const int in_flight : {1, 3}) {
        EXPECT_EQ(WhatIsWrong(request, plans, in_flight, rows), "")
            << Describe(request) << ", rows " << rows;
      }
    }
  }
}

TEST(Broadcast, WorksFromEveryRoot) {
  for (const Algorithm algorithm : AlgorithmsFor(Collective::kBroadcast)) {
    for (const int world : {2, 3, 7, 8}) {
      PlanRequest request =
          MakeRequest(Collective::kBroadcast, algorithm, world, 50, 8);
      for (request.root = 0; request.root < world; ++request.root) {
        EXPECT_EQ(WhatIsWrong(request, AllPlans(request), 1, request.root), "")
            << Describe(request) << ", root " << request.root;
      }
    }
  }
}

TEST(Barrier, NobodyEndsBeforeAllHaveBegun) {
  for (const int world : Worlds()) {
    PlanRequest request = MakeRequest(
        Collective::kBarrier, Algorithm::kHalvingDoubling, world, -5, -5);
    const std::vector<RankPlan> plans = AllPlans(request);
    request.elements = 1;
    EXPECT_EQ(plans[0].elements, 1);
    EXPECT_EQ(WhatIsWrong(request, plans, 1, world), "") << world;
    std::int64_t sent = 0;
    for (const RankPlan& plan : plans) {
      for (const PlanOp& op : plan.ops) sent += op.kind == OpKind::kSend;
    }
    EXPECT_EQ(sent, ElementsOnTheWire(request));
    for (int absent = 0; absent < world; ++absent) {
      Interpreter interpreter(plans, 1, absent);
      interpreter.Hold(absent);
      interpreter.Run();
      for (int rank = 0; rank < world; ++rank) {
        if (rank == absent) continue;
        EXPECT_FALSE(interpreter.ended(rank))
            << "world " << world << ", rank " << rank << " without " << absent;
      }
    }
  }
}

}  // namespace
}  // namespace podsim
