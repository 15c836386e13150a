#include "host/train/tally.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace podsim {
namespace {

TEST(TallyTest, WeighsLossesAndSkipsRowsWithoutAnExample) {
  const std::vector<float> loss = {2, 4, 8};
  const std::vector<float> correct = {1, 1, 0};
  const std::vector<float> weights = {0.5F, 0, 0.25F};
  Tally tally;
  const RowResults results = {.loss = loss,
                              .weights = weights,
                              .metrics = {{loss, MetricCombine::kMean},
                                          {correct, MetricCombine::kSum},
                                          {loss, MetricCombine::kMax}}};
  tally.Count(results, 0);
  tally.Count(results, 3);
  ASSERT_EQ(tally.metrics.size(), 3);
  EXPECT_EQ(tally.metrics[0].total, 2 * (1 + 2));
  EXPECT_EQ(tally.metrics[0].weight, 2 * 0.75);
  EXPECT_EQ(tally.metrics[1].total, 2);
  EXPECT_EQ(tally.metrics[2].total, 8);
  EXPECT_EQ(tally.examples, 4);
  EXPECT_EQ(tally.bad_row, -1);
}

TEST(TallyTest, NamesTheFirstRowThatIsNotFinite) {
  const float bad = std::numeric_limits<float>::infinity();
  const std::vector<float> good = {1, 1};
  const std::vector<float> loss = {1, bad};
  const std::vector<float> worse = {std::nanf(""), bad};
  Tally tally;
  tally.Count({good, good, {}}, 0);
  tally.Count({loss, good, {}}, 2);
  tally.Count({worse, good, {}}, 4);
  EXPECT_EQ(tally.bad_row, 3);
  EXPECT_EQ(tally.bad_loss, bad);
}

TEST(TallyTest, WhatALossIsMadeOfIsLookedAtToo) {
  const std::vector<float> good = {1, 1};
  const std::vector<float> bad = {1, std::nanf("")};
  Tally tally;
  tally.Count({{},
               good,
               {{good, MetricCombine::kSum, /*is_of_loss=*/true},
                {bad, MetricCombine::kSum, /*is_of_loss=*/true}}},
              4);
  EXPECT_EQ(tally.bad_row, 5);
}

TEST(TallyTest, WithoutALossNoneIsBad) {
  const std::vector<float> values = {std::nanf("")};
  const std::vector<float> weights = {1};
  Tally tally;
  tally.Count({{}, weights, {{values, MetricCombine::kMean}}}, 0);
  EXPECT_EQ(tally.bad_row, -1);
  EXPECT_EQ(tally.examples, 1);
}

// A maximum of negative values is not 0, nor what fills up a batch.
TEST(TallyTest, AMaximumIsOfExamplesAlone) {
  const std::vector<float> values = {5, -3, -2};
  const std::vector<float> weights = {0, 1, 1};
  Tally tally;
  tally.Count({values, weights, {{values, MetricCombine::kMax}}}, 0);
  EXPECT_EQ(tally.metrics[0].total, -2);
}

TEST(TallyTest, ABadLossWithoutAnExampleDoesNotCount) {
  const std::vector<float> loss = {std::nanf("")};
  const std::vector<float> none = {0};
  Tally tally;
  tally.Count({loss, none, {}}, 0);
  EXPECT_EQ(tally.bad_row, -1);
  EXPECT_EQ(tally.examples, 0);
}

}  // namespace
}  // namespace podsim
