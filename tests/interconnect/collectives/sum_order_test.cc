// The bits of an all-reduce: sums in the order that docs/collectives.md gives
// for each algorithm.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/interconnect/collectives/order_oracle.h"
#include "tests/interconnect/collectives/requests.h"
#include "tests/interconnect/collectives/run_plans.h"

namespace podsim {
namespace {

using testing::AddBfloat16;
using testing::Addition;
using testing::AllPlans;
using testing::Bytes;
using testing::Describe;
using testing::Encode;
using testing::EncodeFloats;
using testing::MakeRequest;
using testing::RandomInputs;
using testing::RunPlans;
using testing::SumInOrderOf;
using testing::TreeSum;
using testing::Worlds;

class SumOrder : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(World, SumOrder, ::testing::ValuesIn(Worlds()));

// The order of additions of each algorithm, as docs/collectives.md writes it.
TEST_P(SumOrder, AreSumsInTheDocumentedOrderBitForBit) {
  const int world = GetParam();
  for (const Algorithm algorithm : AllAlgorithms()) {
    for (const std::int64_t elements : {7, 1000, 33000}) {
      for (const std::int64_t chunk : {1000, 65536}) {
        const PlanRequest request = MakeRequest(
            Collective::kAllReduce, algorithm, world, elements, chunk);
        const std::uint32_t seed = 10 * world + chunk;
        SCOPED_TRACE(Describe(request) + ", seed " + std::to_string(seed));
        const auto x = RandomInputs(world, elements, seed);
        std::vector<Bytes> buffers;
        for (const auto& one : x) buffers.push_back(EncodeFloats(one));
        RunPlans(AllPlans(request), {}, seed, buffers);
        const Bytes expected = EncodeFloats(SumInOrderOf(request, x));
        for (const Bytes& buffer : buffers) ASSERT_TRUE(buffer == expected);
      }
    }
  }
}

// The same tree on every slice: what --reduction=tree stands on.
TEST(HalvingDoubling, SumsThePowersOfTwoAsABalancedTree) {
  for (const int world : {1, 2, 4, 8, 16, 32}) {
    for (const auto& [elements, chunk] :
         {std::pair{1000, 65536}, std::pair{1000, 64},
          std::pair{20000, 65536}}) {
      for (const ElementType type :
           {ElementType::kFloat32, ElementType::kBfloat16}) {
        const PlanRequest request =
            MakeRequest(Collective::kAllReduce, Algorithm::kHalvingDoubling,
                        world, elements, chunk);
        SCOPED_TRACE(Describe(request));
        auto x = RandomInputs(world, elements, world);
        Addition add = std::plus<float>();
        if (type == ElementType::kBfloat16) {
          add = &AddBfloat16;
          for (auto& one : x) {
            for (float& value : one) value = AddBfloat16(value, 0);
          }
        }
        std::vector<Bytes> buffers;
        const auto encode = [type](const std::vector<float>& values) {
          return Encode(type, {values.begin(), values.end()});
        };
        for (const auto& one : x) buffers.push_back(encode(one));
        RunPlans(AllPlans(request), {type, ReductionOp::kSum, type}, world,
                 buffers);
        const Bytes expected = encode(TreeSum(x, add));
        for (const Bytes& buffer : buffers) ASSERT_TRUE(buffer == expected);
      }
    }
  }
}

TEST(HalvingDoubling, TheTreeOfFourIsPairsOfPairs) {
  const std::vector<std::vector<float>> x = {{1e8F}, {1}, {-1e8F}, {1}};
  std::vector<Bytes> buffers;
  for (const auto& one : x) buffers.push_back(EncodeFloats(one));
  RunPlans(AllPlans(MakeRequest(Collective::kAllReduce,
                                Algorithm::kHalvingDoubling, 4, 1, 8)),
           {}, 1, buffers);
  // 1e8 + 1 is 1e8 in float32: (1e8 + 1) + (-1e8 + 1) is 0, in rank order it
  // would be 1.
  for (const Bytes& buffer : buffers) {
    EXPECT_EQ(buffer, EncodeFloats({(1e8F + 1) + (-1e8F + 1)}));
    EXPECT_NE(buffer, EncodeFloats({((1e8F + 1) + -1e8F) + 1}));
  }
}

}  // namespace
}  // namespace podsim
