// All algorithms through real executors over an unkind network: whole numbers,
// whose sums are exact in any order, of every type with every op; one algorithm
// after another, and all at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/interconnect/collectives/order_oracle.h"
#include "tests/interconnect/collectives/requests.h"
#include "tests/interconnect/collectives/run_plans.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using testing::AlgorithmsFor;
using testing::AllPlans;
using testing::Bytes;
using testing::Describe;
using testing::Encode;
using testing::EncodeFloats;
using testing::MakeRequest;
using testing::RandomInputs;
using testing::RunPlans;
using testing::RunTogether;
using testing::SizesFor;
using testing::SumInOrderOf;
using testing::TestCollective;
using testing::Worlds;

std::string Describe(const PlanRequest& request, const ElementRules& rules) {
  return Describe(request) + ", " + std::string(NameOf(rules.op)) + " of " +
         std::string(NameOf(rules.type)) + " over " +
         std::string(NameOf(rules.wire));
}

std::vector<ElementRules> AllRules() {
  std::vector<ElementRules> all;
  for (const ReductionOp op : {ReductionOp::kSum, ReductionOp::kProd,
                               ReductionOp::kMin, ReductionOp::kMax}) {
    for (const ElementType type :
         {ElementType::kFloat32, ElementType::kBfloat16, ElementType::kInt32}) {
      all.push_back({type, op, type});
    }
    all.push_back({ElementType::kFloat32, op, ElementType::kBfloat16});
  }
  return all;
}

// Whole numbers whose sums and products are values of every type: 32 of
// -3..3 make at most 96 (bfloat16 has all up to 256), 32 of -1, 1, 2 a power of
// two.
std::vector<double> WholeNumbers(ReductionOp op, std::int64_t elements,
                                 std::mt19937& random) {
  constexpr double kFactors[] = {-1, 1, 2};
  std::vector<double> values;
  for (std::int64_t i = 0; i < elements; ++i) {
    values.push_back(op == ReductionOp::kProd
                         ? kFactors[random() % 3]
                         : static_cast<double>(random() % 7) - 3);
  }
  return values;
}

double Reduced(ReductionOp op, double a, double b) {
  switch (op) {
    case ReductionOp::kSum:
      return a + b;
    case ReductionOp::kProd:
      return a * b;
    case ReductionOp::kMin:
      return std::min(a, b);
    case ReductionOp::kMax:
      return std::max(a, b);
  }
  return 0;
}

std::vector<double> Reduced(ReductionOp op,
                            const std::vector<std::vector<double>>& x) {
  std::vector<double> result = x[0];
  for (std::size_t rank = 1; rank < x.size(); ++rank) {
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = Reduced(op, result[i], x[rank][i]);
    }
  }
  return result;
}

// What `rank` must have after a collective on x; the elements outside `range`
// are undefined.
std::vector<double> Expected(const PlanRequest& request, ReductionOp op,
                             const std::vector<std::vector<double>>& x,
                             int rank, Range* range) {
  const int world = static_cast<int>(x.size());
  *range = {0, request.elements};
  std::vector<double> result = x[rank];
  switch (request.collective) {
    case Collective::kAllReduce:
      return Reduced(op, x);
    case Collective::kReduceScatter:
      *range = SegmentOf(request.elements, world, rank);
      return Reduced(op, x);
    case Collective::kBroadcast:
      return x[request.root];
    case Collective::kAllGather:
    case Collective::kAllToAll:
      for (int from = 0; from < world; ++from) {
        const Range to = SegmentOf(request.elements, world, from);
        const Range piece = SegmentOf(
            request.elements, world,
            request.collective == Collective::kAllGather ? from : rank);
        for (std::int64_t i = 0; i < to.count; ++i) {
          result[to.begin + i] = x[from][piece.begin + i];
        }
      }
      return result;
    case Collective::kBarrier:
      return result;
  }
  return result;
}

void ExpectExact(const PlanRequest& request, const ElementRules& rules,
                 std::uint32_t seed) {
  SCOPED_TRACE(Describe(request, rules) + ", seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const int world = static_cast<int>(request.ring.size());
  std::vector<std::vector<double>> x;
  std::vector<Bytes> buffers;
  for (int rank = 0; rank < world; ++rank) {
    x.push_back(WholeNumbers(rules.op, request.elements, random));
    buffers.push_back(Encode(rules.type, x.back()));
  }
  RunPlans(AllPlans(request), rules, seed, buffers);
  const auto size = static_cast<std::ptrdiff_t>(SizeOf(rules.type));
  std::vector<double> expected;
  Range range;
  for (int rank = 0; rank < world; ++rank) {
    // All ranks' results of an all-reduce or a broadcast are one.
    if (rank == 0 || (request.collective != Collective::kAllReduce &&
                      request.collective != Collective::kBroadcast)) {
      expected = Expected(request, rules.op, x, rank, &range);
    }
    const Bytes whole = Encode(rules.type, expected);
    const auto part = [&](const Bytes& bytes) {
      return Bytes(bytes.begin() + range.begin * size,
                   bytes.begin() + (range.begin + range.count) * size);
    };
    ASSERT_EQ(buffers[rank].size(), whole.size());
    ASSERT_TRUE(part(buffers[rank]) == part(whole)) << "rank " << rank;
  }
}

class AlgorithmResults : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(World, AlgorithmResults,
                         ::testing::ValuesIn(Worlds()));

TEST_P(AlgorithmResults, OfWholeNumbersAreExact) {
  const int world = GetParam();
  std::uint32_t seed = 1000 * world;
  const auto of = [&](Collective collective, Algorithm algorithm,
                      std::int64_t elements, std::int64_t chunk,
                      const ElementRules& rules) {
    if (collective == Collective::kAllToAll) elements -= elements % world;
    ExpectExact(MakeRequest(collective, algorithm, world, elements, chunk),
                rules, ++seed);
  };
  for (const Collective collective :
       {Collective::kAllReduce, Collective::kReduceScatter,
        Collective::kAllGather, Collective::kBroadcast,
        Collective::kAllToAll}) {
    for (const Algorithm algorithm : AlgorithmsFor(collective)) {
      for (const std::int64_t elements : SizesFor(world)) {
        // Long buffers of many ranks take long: for one collective only.
        if (elements > 1000 && world > 4 &&
            collective != Collective::kAllReduce) {
          continue;
        }
        of(collective, algorithm, elements, elements > 1000 ? 8192 : 48, {});
        if (elements <= 1000) of(collective, algorithm, elements, 65536, {});
      }
      for (const ElementRules& rules : AllRules()) {
        of(collective, algorithm, 130, 48, rules);
        of(collective, algorithm, 130, 65536, rules);
      }
    }
  }
}

// A sharded update will stand between the two phases.
TEST_P(AlgorithmResults, ReduceScatterThenAllGatherIsAnAllReduce) {
  const int world = GetParam();
  for (const Algorithm algorithm : AlgorithmsFor(Collective::kAllGather)) {
    const auto run = [&](Collective collective, std::vector<Bytes>& buffers) {
      RunPlans(AllPlans(MakeRequest(collective, algorithm, world, 1003, 50)),
               {}, world, buffers);
    };
    std::vector<Bytes> buffers;
    for (const auto& one : RandomInputs(world, 1003, world)) {
      buffers.push_back(EncodeFloats(one));
    }
    std::vector<Bytes> whole = buffers;
    run(Collective::kAllReduce, whole);
    run(Collective::kReduceScatter, buffers);
    run(Collective::kAllGather, buffers);
    EXPECT_TRUE(buffers == whole) << std::string(NameOf(algorithm));
  }
}

// Collectives of all algorithms at once share the credit of each pair, and no
// frame that is kept may stand in the way of the one that it waits for.
TEST_P(AlgorithmResults, OfAllAlgorithmsAtOnceAreThoseOfEach) {
  const int world = GetParam();
  for (int seed = 0; seed < 3 + 60 / world; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<TestCollective> collectives;
    std::vector<Bytes> expected;
    for (const Algorithm algorithm : AllAlgorithms()) {
      // Few frames and many. Direct takes two steps from 65,536 / W on.
      const bool direct = algorithm == Algorithm::kDirect;
      for (const auto& [count, chunk] :
           {std::pair{std::int64_t{200}, 256},
            std::pair{std::int64_t{3000}, 64},
            std::pair{direct ? kDirectOneStepElements / world + 1 : 500,
                      256}}) {
        const PlanRequest request =
            MakeRequest(Collective::kAllReduce, algorithm, world, count, chunk);
        const auto x = RandomInputs(world, count, seed);
        TestCollective& one_more = collectives.emplace_back();
        one_more.plans = AllPlans(request);
        for (const auto& one : x) one_more.buffers.push_back(EncodeFloats(one));
        expected.push_back(EncodeFloats(SumInOrderOf(request, x)));
      }
    }
    RunTogether(collectives, {}, seed);
    for (std::size_t i = 0; i < collectives.size(); ++i) {
      for (const Bytes& buffer : collectives[i].buffers) {
        ASSERT_TRUE(buffer == expected[i]) << i;
      }
    }
  }
}

// max(-0, 0) is the one or the other, by the order of the operands: every rank
// must still end with the same bits.
TEST_P(AlgorithmResults, OfSignedZerosAreAlike) {
  const int world = GetParam();
  for (const Algorithm algorithm : AllAlgorithms()) {
    for (const ReductionOp op : {ReductionOp::kMin, ReductionOp::kMax}) {
      for (const std::int64_t chunk : {10, 100}) {
        std::mt19937 random(world);
        std::vector<Bytes> buffers;
        for (int rank = 0; rank < world; ++rank) {
          std::vector<float> zeros(100);
          for (float& zero : zeros) zero = random() % 2 == 0 ? 0.0F : -0.0F;
          buffers.push_back(EncodeFloats(zeros));
        }
        RunPlans(AllPlans(MakeRequest(Collective::kAllReduce, algorithm, world,
                                      100, chunk)),
                 {ElementType::kFloat32, op, ElementType::kFloat32}, world,
                 buffers);
        for (const Bytes& buffer : buffers) EXPECT_TRUE(buffer == buffers[0]);
      }
    }
  }
}

}  // namespace
}  // namespace podsim
