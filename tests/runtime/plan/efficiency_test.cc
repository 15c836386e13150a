// How sure a scaling efficiency and what sharding saves are, worked by hand.
#include "runtime/plan/efficiency.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/runtime/plan/made_ladder.h"

namespace podsim {
namespace {

using ::podsim::testing::MadeLadder;
using ::podsim::testing::RowOf;

constexpr double kNear = 1e-12;

// A step of 8 s on v3-8 and of 10 s on v3-32, with the doubts given.
std::vector<LadderRow> EfficiencyRows(const std::vector<DoubtShare>& small,
                                      const std::vector<DoubtShare>& large) {
  std::vector<LadderRow> rows = {RowOf({.slice = "v3-8", .step = 8}),
                                 RowOf({.slice = "v3-32", .step = 10})};
  rows[0].forecast.band.shares = small;
  rows[1].forecast.band.shares = large;
  FillEfficiency(rows);
  return rows;
}

TEST(FillEfficiencyTest, IsAgainstTheSmallestSliceOfTheGeneration) {
  Ladder ladder = MadeLadder({{.slice = "v3-32", .step = 10},
                              {.slice = "v3-8", .step = 8},
                              {.slice = "v4-8", .step = 3}});
  FillEfficiency(ladder.rows);
  EXPECT_NEAR(ladder.rows[0].efficiency, 0.8, kNear);
  EXPECT_EQ(ladder.rows[1].efficiency, 1);
  EXPECT_EQ(ladder.rows[2].efficiency, 1);
  // Without doubts it is sure.
  EXPECT_NEAR(ladder.rows[0].efficiency_low, 0.8, kNear);
  EXPECT_NEAR(ladder.rows[0].efficiency_high, 0.8, kNear);
}

// Kernels that are slower by a quarter, or faster by a fifth, are so on both.
TEST(FillEfficiencyTest, WhatBothStepsShareLeavesItAsItIs) {
  const auto rows = EfficiencyRows({{"matrix_share", 1.6, 2, {10, 6.4}}},
                                   {{"matrix_share", 2, 2.5, {12.5, 8}}});
  EXPECT_NEAR(rows[1].efficiency, 0.8, kNear);
  EXPECT_NEAR(rows[1].efficiency_low, 0.8, kNear);
  EXPECT_NEAR(rows[1].efficiency_high, 0.8, kNear);
  EXPECT_EQ(rows[0].efficiency_low, 1);
  EXPECT_EQ(rows[0].efficiency_high, 1);
}

// The links, of the larger slice alone: 8 of 16 s and 8 of 8 s.
TEST(FillEfficiencyTest, WhatOneStepHasMovesIt) {
  const auto rows = EfficiencyRows({}, {{"link_share", 2, 6, {16, 8}}});
  EXPECT_NEAR(rows[1].efficiency_low, 0.5, kNear);
  EXPECT_NEAR(rows[1].efficiency_high, 1, kNear);
}

// Two that take 0.3 and 0.4 away make 0.5: 8 of 16 s and 8 of 20 s.
TEST(FillEfficiencyTest, DoubtsAreAddedInSquares) {
  const auto rows = EfficiencyRows(
      {}, {{"link_share", 0, 6, {16, 10}}, {"hop_seconds", 0, 10, {20, 10}}});
  EXPECT_NEAR(rows[1].efficiency_low, 0.3, kNear);
  EXPECT_NEAR(rows[1].efficiency_high, 0.8, kNear);
}

// 8 of 10 s: a fifth. Links at their slower end add 2 s to both, 10 of 12 s are
// left; at their faster one they take 2 s from both, 6 of 8 s.
TEST(ShardingGainTest, HasTheDoubtsOfBothSteps) {
  JobForecast whole;
  whole.step.total = SimTime::Seconds(10);
  whole.band.shares = {{"link_share", 2, 2, {12, 8}}};
  JobForecast sharded;
  sharded.step.total = SimTime::Seconds(8);
  sharded.band.shares = {{"link_share", 2, 2, {10, 6}}};
  const ShardingGain gain = ShardingGainOf(whole, sharded);
  EXPECT_EQ(gain.whole_step, SimTime::Seconds(10));
  EXPECT_NEAR(gain.saved.forecast, 0.2, kNear);
  EXPECT_NEAR(gain.saved.low, 1 / 6.0, kNear);
  EXPECT_NEAR(gain.saved.high, 0.25, kNear);
}

TEST(ShardingGainTest, IsSaidOfEachRow) {
  Ladder ladder = MadeLadder({{.slice = "v3-8"}, {.slice = "v3-32"}});
  EXPECT_EQ(ShardingText(ladder), "");
  ladder.rows[0].sharding = {SimTime::Seconds(2), {0.37, 0.34, 0.41}};
  ladder.rows[1].sharding = {SimTime::Seconds(3), {0.5, 0.5, 0.5}};
  EXPECT_EQ(ShardingText(ladder),
            "what sharding the update saves of a step: v3-8 37% (34% to 41%; "
            "without it 2 s sim), v3-32 50% (without it 3 s sim)");
}

TEST(ShareRangeTextTest, IsInFullPercents) {
  EXPECT_EQ(ShareRangeText({0.834, 0.812, 0.856}), "81% to 86%");
  EXPECT_EQ(ShareRangeText({0.994, 0.991, 0.9949}), "");
  // Nothing below the knee is rounded up to it.
  EXPECT_EQ(ShareRangeText({0.82, 0.7972, 0.84}), "79.72% to 84%");
}

}  // namespace
}  // namespace podsim
