// An all-reduce of float32 over a bfloat16 wire: all ranks alike, and within
// the bound of docs/collectives.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "interconnect/collectives/plan_run.h"
#include "tests/interconnect/collectives/requests.h"
#include "tests/interconnect/collectives/ring_oracle.h"
#include "tests/interconnect/collectives/run_plans.h"

namespace podsim {
namespace {

using testing::AllPlans;
using testing::Bytes;
using testing::Decode;
using testing::Describe;
using testing::EncodeFloats;
using testing::MakeRequest;
using testing::RandomInputs;
using testing::RunPlans;
using testing::Worlds;

class NarrowWire : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(World, NarrowWire, ::testing::ValuesIn(Worlds()));

// How often a contribution to a sum is rounded at most on its way into the
// result: once for each hop of a partial sum that contains it, and once more
// when the result is sent.
int MostRoundings(const PlanRequest& request) {
  const auto world = static_cast<unsigned>(request.ring.size());
  const int power = static_cast<int>(std::bit_floor(world));
  const int levels = std::bit_width(world) - 1;
  const int fold = static_cast<int>(world) > power ? 1 : 0;
  const bool small = request.elements <= request.whole_elements;
  switch (request.algorithm) {
    case Algorithm::kRing:
    case Algorithm::kBidirRing:
      return static_cast<int>(world);
    case Algorithm::kTorus2d:
      return (request.columns - 1) + (request.rows - 1) + 1;
    case Algorithm::kHalvingDoubling:
      return fold + levels + (small ? 0 : 1);
    case Algorithm::kDirect:
      return request.elements * world <= kDirectOneStepElements ? 1 : 2;
  }
  return 0;
}

// Let u = 2^-8, the most that rounding to bfloat16 changes a value by, as a
// part of it (half of a unit in the last of 8 places), and v = 2^-24 the same
// of a float32 addition. The result is sum_i x_i (1 + d_i), where 1 + d_i is a
// product of at most h factors within 1 +- u and W - 1 within 1 +- v. So it is
// off by at most ((1 + u)^h (1 + v)^(W-1) - 1) sum_i |x_i|. (No value here is
// near the ends of the range, where rounding has an absolute error.)
TEST_P(NarrowWire, SumsAreAlikeAndWithinTheBound) {
  const int world = GetParam();
  for (const Algorithm algorithm : AllAlgorithms()) {
    for (const auto& [elements, chunk] :
         {std::pair{600, 65536}, std::pair{600, 64},
          std::pair{65536 / world + 1, 65536}}) {
      const PlanRequest request = MakeRequest(Collective::kAllReduce, algorithm,
                                              world, elements, chunk);
      const std::uint32_t seed = world + elements;
      SCOPED_TRACE(Describe(request) + ", seed " + std::to_string(seed));
      const auto x = RandomInputs(world, elements, seed);
      std::vector<Bytes> buffers;
      for (const auto& one : x) buffers.push_back(EncodeFloats(one));
      RunPlans(
          AllPlans(request),
          {ElementType::kFloat32, ReductionOp::kSum, ElementType::kBfloat16},
          seed, buffers);
      for (const Bytes& buffer : buffers) ASSERT_TRUE(buffer == buffers[0]);

      const double relative =
          std::pow(1 + std::ldexp(1.0, -8), MostRoundings(request)) *
              std::pow(1 + std::ldexp(1.0, -24), world - 1) -
          1;
      const std::vector<double> got = Decode(ElementType::kFloat32, buffers[0]);
      double worst = 0;  // of what is allowed
      for (std::int64_t i = 0; i < elements; ++i) {
        double sum = 0;
        double magnitude = 0;
        for (const auto& one : x) {
          sum += one[i];
          magnitude += std::fabs(one[i]);
        }
        if (magnitude == 0) continue;
        worst =
            std::max(worst, std::fabs(got[i] - sum) / (relative * magnitude));
      }
      if (world == 1) {
        EXPECT_EQ(buffers[0], EncodeFloats(x[0]));
      } else {
        EXPECT_LE(worst, 1);
        EXPECT_GT(worst, 0.01);  // values were rounded indeed
      }
    }
  }
}

// Buffers into which copies are streamed past the caches.
TEST(LargeBuffers, AreSummedExactly) {
  constexpr int kWorld = 3;
  constexpr std::int64_t kElements = kStreamedBufferBytes / sizeof(float) + 5;
  const PlanRequest request = MakeRequest(
      Collective::kAllReduce, Algorithm::kRing, kWorld, kElements, 65'536);
  for (const ElementType wire :
       {ElementType::kFloat32, ElementType::kBfloat16}) {
    std::vector<float> values(kElements);  // whole, and bfloat16 holds the sums
    std::vector<float> wanted(kElements);
    for (std::int64_t i = 0; i < kElements; ++i) {
      values[i] = static_cast<float>(i % 83);
      wanted[i] = kWorld * values[i];
    }
    std::vector<Bytes> buffers(kWorld, EncodeFloats(values));
    RunPlans(AllPlans(request),
             {ElementType::kFloat32, ReductionOp::kSum, wire},
             /*seed=*/7, buffers);
    for (const Bytes& buffer : buffers) {
      ASSERT_TRUE(buffer == EncodeFloats(wanted));
    }
  }
}

// Chunks are what travels at a time, and no more: plans' hashes leave them out.
TEST_P(NarrowWire, ChunksDecideNoBits) {
  const int world = GetParam();
  for (const Algorithm algorithm : AllAlgorithms()) {
    for (const ElementType wire :
         {ElementType::kFloat32, ElementType::kBfloat16}) {
      for (const std::int64_t elements : {600, 20'000}) {
        const std::uint32_t seed = world + elements;
        const auto x = RandomInputs(world, elements, seed);
        std::vector<Bytes> wanted;
        for (const std::int64_t chunk : {65'536, 64, 7'000}) {
          PlanRequest request = MakeRequest(Collective::kAllReduce, algorithm,
                                            world, elements, chunk);
          request.whole_elements = kRecursiveDoublingElements;
          SCOPED_TRACE(Describe(request) + ", seed " + std::to_string(seed));
          std::vector<Bytes> buffers;
          for (const auto& one : x) buffers.push_back(EncodeFloats(one));
          RunPlans(AllPlans(request),
                   {ElementType::kFloat32, ReductionOp::kSum, wire}, seed,
                   buffers);
          if (wanted.empty()) wanted = buffers;
          ASSERT_TRUE(buffers == wanted);
        }
      }
    }
  }
}

}  // namespace
}  // namespace podsim
