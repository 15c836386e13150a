// Prices of sound links, by their equations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "interconnect/timing/pricing.h"
#include "tests/interconnect/timing/price_of.h"

namespace podsim {
namespace {

using ::podsim::testing::PriceOf;

// A ring of N chips, segments of V/N in two pieces of t each, hop a, M = 2
// (N-1) steps: (M - 1) max(2 t, t + a) + 2 t + a.
TEST(PriceCollective, ARingTakesWhatItsEquationSays) {
  const Slice slice = *FindSlice("v3-32");
  const double rate =
      slice.chip().link_bytes_per_second * slice.chip().link_share;
  for (const std::int64_t segment : {1 << 12, 1 << 16, 1 << 22}) {
    const std::int64_t bytes = segment * slice.chips;
    const double t = static_cast<double>(segment) / 2 / rate;
    const double a = slice.chip().hop_seconds;
    const double expected = 29 * std::max(2 * t, t + a) + 2 * t + a;
    const Price price =
        PriceOf(slice, {.algorithm = ChipAlgorithm::kRing, .bytes = bytes});
    // Each piece is rounded to the picosecond.
    EXPECT_NEAR(price.network.seconds(), expected, 100e-12) << segment;
  }
}

// Around a wrapped 4 x 4 grid of 16 equal pieces, both axes at once: half of V
// goes along x then y. Each phase a link carries half of what is not at home:
//   2 V/2 (3/4) / (2 b) + 2 V/8 (3/4) / (2 b), and two hops for each phase.
TEST(PriceCollective, ATorusComesNearItsBound) {
  const Slice slice = *FindSlice("v3-32", {.wrap = WrapPolicy::kTorus});
  const std::int64_t bytes = 1 << 28;
  const double rate =
      slice.chip().link_bytes_per_second * slice.chip().link_share;
  const double bound = 2.0 * bytes * 15 / 16 / (4 * rate);
  const Price price =
      PriceOf(slice, {.algorithm = ChipAlgorithm::kTorusAll, .bytes = bytes});
  EXPECT_GE(price.network.seconds(), bound);
  EXPECT_LE(price.network.seconds(), bound * 1.1);
}

TEST(PriceCollective, TheCoresOfAChipAddTheirsUpFirst) {
  const Slice slice = *FindSlice("v3-32");
  const auto cores = [&](Collective collective, std::int64_t bytes) {
    return PriceOf(slice, {.collective = collective, .bytes = bytes})
        .cores.seconds();
  };
  // Two pieces read and one written before, one read and one written after, of
  // 900 GB/s; no more than the first piece of 8 MiB is seen.
  EXPECT_NEAR(cores(Collective::kAllReduce, 900'000), 5e-6, 1e-9);
  EXPECT_NEAR(cores(Collective::kReduceScatter, 900'000), 3e-6, 1e-9);
  EXPECT_NEAR(cores(Collective::kAllGather, 900'000), 2e-6, 1e-9);
  EXPECT_EQ(cores(Collective::kAllReduce, 8 << 20),
            cores(Collective::kAllReduce, 800 << 20));
  EXPECT_EQ(PriceOf(*FindSlice("v4-16"), {.bytes = 1 << 20}).cores, SimTime());
}

// 7380 GB/s and no link to hide behind. Summed: both cores' bytes read and one
// sum written, then that read and written once; exchanged: both cores' bytes
// read and written.
TEST(PriceCollective, TheCoresOfAChipAloneMoveAllOfTheirBytes) {
  const Slice slice = *FindSlice("tpu7x-2");
  const auto cores = [&](Collective collective, std::int64_t bytes) {
    const Price price =
        PriceOf(slice, {.collective = collective, .bytes = bytes});
    EXPECT_EQ(price.time, price.software + price.cores);
    return price.cores.seconds();
  };
  constexpr std::int64_t kBytes = 7'380'000'000;
  EXPECT_NEAR(cores(Collective::kAllReduce, kBytes), 5e-3, 1e-9);
  EXPECT_NEAR(cores(Collective::kReduceScatter, kBytes), 3e-3, 1e-9);
  EXPECT_NEAR(cores(Collective::kAllGather, kBytes), 2e-3, 1e-9);
  EXPECT_NEAR(cores(Collective::kBroadcast, kBytes), 2e-3, 1e-9);
  EXPECT_NEAR(cores(Collective::kAllToAll, kBytes), 4e-3, 1e-9);
  EXPECT_EQ(cores(Collective::kBarrier, 0), 0);
  EXPECT_EQ(PriceOf(*FindSlice("tpu7x-8"),
                    {.collective = Collective::kAllToAll, .bytes = kBytes})
                .cores,
            SimTime());
}

}  // namespace
}  // namespace podsim
