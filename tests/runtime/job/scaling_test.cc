// The rules of the TPU pod training guide, by number.
#include "runtime/job/scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "interconnect/topology/slice.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ScaleStepsTest, TheGuidesExample) {
  ASSERT_OK_AND_ASSIGN(const ScaledSteps scaled, ScaleSteps(100, 1000, 4000));
  EXPECT_EQ(scaled.steps, 25);
  EXPECT_EQ(scaled.overshoot_examples, 0);
}

struct Published {
  const char* slice;
  std::int64_t batch;
  std::int64_t steps;
};

// ResNet-50 in Google's TF 1.12 benchmark document: 113,854 steps of 1,024 on
// v2-8, with 128 examples per core on each.
class PublishedStepsTest : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedStepsTest, ComeOut) {
  const Published& row = GetParam();
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(row.slice));
  EXPECT_EQ(128 * slice.cores, row.batch);
  ASSERT_OK_AND_ASSIGN(const ScaledSteps scaled,
                       ScaleSteps(113'854, 1024, row.batch));
  EXPECT_EQ(scaled.steps, row.steps);
  EXPECT_EQ(scaled.overshoot_examples,
            row.steps * row.batch - std::int64_t{113'854} * 1024);
}

INSTANTIATE_TEST_SUITE_P(ResNet, PublishedStepsTest,
                         ::testing::Values(Published{"v2-8", 1024, 113'854},
                                           Published{"v2-32", 4096, 28'464},
                                           Published{"v2-128", 16384, 7'116},
                                           Published{"v2-256", 32768, 3'558}));

// Against counting batch by batch.
TEST(StepsForTest, IsTheFewestStepsThatSeeAllExamples) {
  for (std::int64_t examples = 0; examples <= 60; ++examples) {
    for (std::int64_t batch = 1; batch <= 12; ++batch) {
      std::int64_t steps = 0;
      while (steps * batch < examples) ++steps;
      const ScaledSteps scaled = StepsFor(examples, batch);
      EXPECT_EQ(scaled.steps, steps) << examples << " / " << batch;
      EXPECT_EQ(scaled.overshoot_examples, steps * batch - examples);
    }
  }
}

TEST(ScaleStepsTest, HugeNumbersAreExactOrRefused) {
  constexpr std::int64_t kBig = std::int64_t{1} << 40;
  ASSERT_OK_AND_ASSIGN(const ScaledSteps scaled,
                       ScaleSteps(kBig, 1 << 22, kBig + 1));
  EXPECT_EQ(scaled.steps, 1 << 22);  // 2^62 / (2^40 + 1), rounded up
  EXPECT_EQ(scaled.overshoot_examples, 1 << 22);
  for (const std::int64_t batch :
       {kBig, std::int64_t{1} << 23, std::numeric_limits<std::int64_t>::max()})
    EXPECT_THAT(ScaleSteps(kBig, batch, 1),
                StatusIs(kInvalid, HasSubstr("2^62")));
}

TEST(StepsForEpochsTest, RoundsUpToWholeSteps) {
  ASSERT_OK_AND_ASSIGN(const ScaledSteps scaled, StepsForEpochs(2, 1498, 64));
  EXPECT_EQ(scaled.steps, 47);  // 2,996 / 64 = 46.8
  EXPECT_EQ(scaled.overshoot_examples, 12);
}

// 1.1 * 10 is 11.000000000000002 in doubles, which is 11 examples, not 12; so
// for every tenth that has no exact double. Exact oracle: whole tenths.
TEST(StepsForEpochsTest, RoundingErrorsAreNoExamples) {
  for (std::int64_t tenths = 1; tenths < 400; ++tenths) {
    for (const std::int64_t size : {10, 30, 1498, 60'000, 1'000'003}) {
      const double epochs = static_cast<double>(tenths) / 10;
      ASSERT_OK_AND_ASSIGN(const ScaledSteps scaled,
                           StepsForEpochs(epochs, size, 1));
      EXPECT_EQ(scaled.steps, (tenths * size + 9) / 10) << epochs << size;
    }
  }
}

TEST(StepsForEpochsTest, TheSmallestPartIsOneStepAndTooManyAreRefused) {
  ASSERT_OK_AND_ASSIGN(const ScaledSteps scaled, StepsForEpochs(1e-9, 10, 64));
  EXPECT_EQ(scaled.steps, 1);
  EXPECT_THAT(StepsForEpochs(1e300, 10, 64),
              StatusIs(kInvalid, HasSubstr("give up to 900,719,925")));
}

TEST(ScaleRateTest, FollowsTheBatchByItsRule) {
  EXPECT_DOUBLE_EQ(ScaleRate(0.1, 256, 1024, words::RateScaling::linear), 0.4);
  EXPECT_DOUBLE_EQ(ScaleRate(0.1, 256, 1024, words::RateScaling::sqrt), 0.2);
  EXPECT_DOUBLE_EQ(ScaleRate(0.1, 256, 1024, words::RateScaling::none), 0.1);
  EXPECT_DOUBLE_EQ(ScaleRate(0.1, 256, 64, words::RateScaling::linear), 0.025);
  EXPECT_DOUBLE_EQ(ScaleRate(0.1, 256, 64, words::RateScaling::sqrt), 0.05);
}

TEST(BatchPerCoreTest, DividesOrNamesBothNumbersAndTheNearest) {
  ASSERT_OK_AND_ASSIGN(const std::int64_t batch,
                       BatchPerCore("train_batch_size", 4096, 32));
  EXPECT_EQ(batch, 128);
  EXPECT_THAT(BatchPerCore("train_batch_size", 100, 32),
              StatusIs(kInvalid, AllOf(HasSubstr("train_batch_size 100 "),
                                       HasSubstr("32 cores"),
                                       HasSubstr("96 (3 per core)"),
                                       HasSubstr("128 (4 per core)"))));
  EXPECT_THAT(BatchPerCore("eval_batch_size", 7, 8),
              StatusIs(kInvalid, AllOf(HasSubstr("eval_batch_size 7 "),
                                       HasSubstr("8 (1 per core)"),
                                       Not(HasSubstr("0 per core")))));
  EXPECT_THAT(BatchPerCore("train_batch_size", 6, 4, "chip"),
              StatusIs(kInvalid, HasSubstr("the 4 chips of the slice; nearest "
                                           "that do: 4 (1 per chip) and 8 (2 "
                                           "per chip)")));
}

}  // namespace
}  // namespace podsim
