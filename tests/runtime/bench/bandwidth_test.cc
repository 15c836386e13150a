#include "runtime/bench/bandwidth.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

TEST(BandwidthTest, FollowsThePublishedFormulas) {
  // 1 MiB in 1 ms.
  constexpr double kAlgorithm = 1.048576;
  const auto bus = [](const char* collective, int ranks) {
    const Bandwidth bandwidth = BandwidthOf(collective, 1 << 20, 1e-3, ranks);
    EXPECT_DOUBLE_EQ(bandwidth.algorithm, kAlgorithm);
    return bandwidth.bus / kAlgorithm;
  };
  EXPECT_DOUBLE_EQ(bus("all_reduce", 4), 1.5);
  EXPECT_DOUBLE_EQ(bus("all_reduce", 32), 62.0 / 32);
  EXPECT_DOUBLE_EQ(bus("reduce_scatter", 4), 0.75);
  EXPECT_DOUBLE_EQ(bus("all_gather", 4), 0.75);
  EXPECT_DOUBLE_EQ(bus("all_to_all", 4), 0.75);
  EXPECT_DOUBLE_EQ(bus("broadcast", 4), 1);
  EXPECT_DOUBLE_EQ(bus("all_reduce", 1), 0);
}

TEST(BandwidthTest, IsNothingWhereNothingTravelsOrNoTimePassed) {
  EXPECT_EQ(BandwidthOf("barrier", 0, 1e-3, 4).bus, 0);
  EXPECT_EQ(BandwidthOf("all_reduce", 1024, 0, 4).algorithm, 0);
}

}  // namespace
}  // namespace podsim
