#include "job/metrics.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

MetricSums One(const char* name, MetricSum::Combine combine, double total,
               double weight) {
  MetricSums sums;
  MetricSum& sum = *sums.Add();
  sum.set_name(name);
  sum.set_combine(combine);
  sum.set_total(total);
  sum.set_weight(weight);
  return sums;
}

TEST(MetricsTest, CombineAsTheySay) {
  MetricSums sums = One("mean", MetricSum::WEIGHTED_MEAN, 3, 4);
  AddMetrics(One("sum", MetricSum::SUM, 3, 4), sums);
  AddMetrics(One("largest", MetricSum::MAXIMUM, -3, 4), sums);
  AddMetrics(One("largest", MetricSum::MAXIMUM, -2, 1), sums);
  AddMetrics(One("sum", MetricSum::SUM, 2, 1), sums);
  AddMetrics(One("mean", MetricSum::WEIGHTED_MEAN, 2, 1), sums);
  ASSERT_EQ(sums.size(), 3);
  EXPECT_EQ(MetricValue(sums, "mean"), 1);
  EXPECT_EQ(MetricValue(sums, "sum"), 5);
  EXPECT_EQ(MetricValue(sums, "largest"), -2);
  EXPECT_EQ(MetricValue(sums, "none"), 0);
  EXPECT_EQ(FindMetric(sums, "none"), nullptr);
}

TEST(MetricsTest, AMeanOverNothingIsZero) {
  EXPECT_EQ(MetricValue(One("mean", MetricSum::WEIGHTED_MEAN, 0, 0), "mean"),
            0);
  EXPECT_EQ(CorrectExamples(MetricSums()), 0);
}

// Shares of a batch of 1,000 are no float32; their sums are, and cancel.
TEST(MetricsTest, SharesOfABatchGiveWhatCountsGive) {
  const double share = 1.0F / 1000;
  double total = 0;
  double weight = 0;
  for (int row = 0; row < 1000; ++row) {
    if (row < 963) total += share;
    weight += share;
  }
  EXPECT_EQ(
      MetricValue(One("accuracy", MetricSum::WEIGHTED_MEAN, total, weight),
                  kAccuracyMetric),
      963.0 / 1000);
}

}  // namespace
}  // namespace podsim
