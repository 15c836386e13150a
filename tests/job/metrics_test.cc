#include "job/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

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

MetricFormula Ratio() {
  MetricFormula formula;
  formula.add_sums("above");
  formula.add_sums("below");
  MetricFormula::Node& node = *formula.add_nodes();
  node.set_op(MetricFormula::DIVIDE);
  node.add_operands(0);
  node.add_operands(1);
  return formula;
}

MetricSums PartsOfRatio(double above, double below) {
  MetricSums sums = One("above", MetricSum::SUM, above, 4);
  AddMetrics(One("other", MetricSum::SUM, 7, 4), sums);
  AddMetrics(One("below", MetricSum::SUM, below, 4), sums);
  return sums;
}

TEST(MetricsTest, ALossOfSumsIsOfTheSumsOfAllHosts) {
  MetricSums all;
  TakeFormula(Ratio(), all);  // of a host without examples
  EXPECT_TRUE(all.empty());
  for (const auto& [above, below] : {std::pair(1, 0), std::pair(5, 4)}) {
    MetricSums sums = PartsOfRatio(above, below);
    TakeFormula(Ratio(), sums);
    EXPECT_EQ(sums.size(), 2);
    EXPECT_EQ(FindMetric(sums, "above"), nullptr);
    AddMetrics(sums, all);
  }
  EXPECT_EQ(MetricValue(all, kLossMetric), 6.0 / 4);
  EXPECT_EQ(MetricValue(all, "other"), 14);
}

// Such as another process may send.
TEST(MetricsTest, AFormulaThatCannotBeEvaluatedGivesNoNumber) {
  MetricSums sums = PartsOfRatio(1, 2);
  TakeFormula(Ratio(), sums);
  MetricSum loss = *FindMetric(sums, kLossMetric);
  EXPECT_EQ(CombinedValue(loss), 0.5);
  loss.mutable_sums()->RemoveLast();
  EXPECT_TRUE(std::isnan(CombinedValue(loss)));
  loss.add_sums(2);
  loss.mutable_formula()->mutable_nodes(0)->set_operands(0, 2);
  EXPECT_TRUE(std::isnan(CombinedValue(loss)));
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
