// How rates, percentages and wall times read.
#include "runtime/report/format.h"

#include <gtest/gtest.h>

#include <limits>

#include "proto/event.pb.h"
#include "tests/job/set_metric.h"

namespace podsim {
namespace {

TEST(FormatTest, PercentHasTwoDecimals) {
  EXPECT_EQ(FormatPercent(0.96354), "96.35%");
  EXPECT_EQ(FormatPercent(0), "0.00%");
  EXPECT_EQ(FormatPercent(1), "100.00%");
}

TEST(FormatTest, WallTimePicksItsUnit) {
  EXPECT_EQ(FormatWallTime(absl::Milliseconds(1234)), "1.234 s");
  EXPECT_EQ(FormatWallTime(absl::Microseconds(12345)), "12.3 ms");
  EXPECT_EQ(FormatWallTime(absl::Nanoseconds(45600)), "45.6 us");
}

TEST(FormatTest, TimeLeftRoundsUpAndGrowsUnits) {
  EXPECT_EQ(FormatTimeLeft(absl::Milliseconds(100)), "1s");
  EXPECT_EQ(FormatTimeLeft(absl::Seconds(59)), "59s");
  EXPECT_EQ(FormatTimeLeft(absl::Seconds(185)), "3m05s");
  EXPECT_EQ(FormatTimeLeft(absl::Minutes(62)), "1h02m");
  EXPECT_EQ(FormatTimeLeft(absl::InfiniteDuration()), "?");
}

TEST(FormatTest, OtherMetricsAreShownAsTheySay) {
  StepDone step;
  testing::SetLossSum(step, 1);
  testing::SetMean(step, kAccuracyMetric, 1);
  EXPECT_EQ(FormatOtherMetrics(step.metrics()), "");
  EXPECT_EQ(FormatEvalLoss({}), "no loss");
  MetricSum loss;
  loss.set_name("loss");
  loss.set_total(1);
  loss.set_weight(4);
  MetricSums sums;
  *sums.Add() = loss;
  EXPECT_EQ(FormatEvalLoss(sums), "loss 0.2500");
  testing::SetMean(step, "margin", 3, 4);
  testing::SetMean(step, "top five", 0.98);
  step.mutable_metrics(3)->set_percent(true);
  EXPECT_EQ(FormatOtherMetrics(step.metrics()),
            ", margin: 0.7500, top five: 98.00%");
}

TEST(FormatTest, RateHasThousandsOrADecimal) {
  EXPECT_EQ(FormatRate(12.34), "12.3");
  EXPECT_EQ(FormatRate(261640.7), "261,641");
  EXPECT_EQ(FormatRate(std::numeric_limits<double>::infinity()), "?");
  EXPECT_EQ(FormatRate(std::numeric_limits<double>::quiet_NaN()), "?");
}

}  // namespace
}  // namespace podsim
