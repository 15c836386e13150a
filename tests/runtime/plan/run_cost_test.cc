// Low and high of a whole run, worked by hand.
#include "runtime/plan/run_cost.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/runtime/plan/made_ladder.h"

namespace podsim {
namespace {

// 1,000 steps of 1 s (0.7 to 1.4), all by one figure.
LadderRow RowOfSteps() {
  LadderRow row =
      testing::RowOf({.slice = "v3-8", .step = 1, .low = 0.7, .high = 1.4});
  row.forecast.band.shares = {{"hbm_share", 0.3, 0.4}};
  return row;
}

TEST(RunSecondsTest, WithoutOtherDoubtsIsThatOfItsSteps) {
  LadderRow row = RowOfSteps();
  row.forecast.start_up = SimTime::Seconds(300);
  row.forecast.evaluation_seconds = 200;
  const RunBand run = RunSeconds(row);
  EXPECT_DOUBLE_EQ(run.forecast, 1500);
  EXPECT_NEAR(run.low, 1200, 1e-9);
  EXPECT_NEAR(run.high, 1900, 1e-9);
}

// Steps and evaluations share a figure, which moves them together: 300 + 60 s
// down and 400 + 80 s up; the start has its own, 270 s down and 360 s up. In
// squares 450 and 600 s.
TEST(RunSecondsTest, HasTheDoubtsOfStartUpAndEvaluationsInIt) {
  LadderRow row = RowOfSteps();
  row.forecast.start_up = SimTime::Seconds(300);
  row.forecast.start_up_shares = {{"start_seconds", 270, 360}};
  row.forecast.evaluation_seconds = 200;
  row.forecast.evaluation_shares = {{"hbm_share", 60, 80}};
  const RunBand run = RunSeconds(row);
  EXPECT_DOUBLE_EQ(run.forecast, 1500);
  EXPECT_NEAR(run.low, 1050, 1e-9);
  EXPECT_NEAR(run.high, 2100, 1e-9);
  // Four chips.
  EXPECT_NEAR(RunChipHours(row).high, 2100 * 4 / 3600.0, 1e-9);
  EXPECT_NEAR(RunCost(row, {.of_all = 3}).low, 3 * 1050 * 4 / 3600.0, 1e-9);
}

// As 300 and 400 s make 500.
TEST(RunSecondsTest, AFigureOfTheEvaluationsAloneIsADoubtOfItsOwn) {
  LadderRow row = RowOfSteps();
  row.forecast.evaluation_seconds = 500;
  row.forecast.evaluation_shares = {{"clock_hz", 400, 300}};
  const RunBand run = RunSeconds(row);
  EXPECT_NEAR(run.low, 1000, 1e-9);
  EXPECT_NEAR(run.high, 2000, 1e-9);
}

TEST(RunSharesTest, SaysWhatEachFigureDoesToTheRun) {
  LadderRow row = RowOfSteps();
  row.forecast.start_up_shares = {{"start_seconds", 270, 500}};
  row.forecast.evaluation_shares = {{"hbm_share", 60, 80}};
  const std::vector<DoubtShare> shares = RunShares(row);
  ASSERT_EQ(shares.size(), 2);
  EXPECT_EQ(shares[0].below, 360);
  EXPECT_EQ(shares[0].above, 480);
  EXPECT_EQ(MostBelow(shares),
            (std::vector<std::string>{"hbm_share", "start_seconds"}));
  EXPECT_EQ(MostAbove(shares),
            (std::vector<std::string>{"start_seconds", "hbm_share"}));
}

}  // namespace
}  // namespace podsim
