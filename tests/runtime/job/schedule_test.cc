// Schedules: scaled steps, rates and warm-up, and what the plan says of them.
#include "runtime/job/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Spec;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

struct Setting {
  const char* topology = "v3-32";
  std::int64_t batch_per_core = 8;
  std::int64_t dataset_size = 100'000;
  std::int64_t recipe_batch = 64;
  std::int64_t smallest_converging_steps = 0;
};

absl::StatusOr<JobPlan> Plan(const std::string& text, const Setting& setting) {
  JobSpec spec = Spec(text);
  if (!spec.has_learning_rate() && !spec.has_base_learning_rate())
    spec.set_learning_rate(0.1);
  if (!spec.has_lr_scaling()) spec.set_lr_scaling("linear");
  JobPlan plan;
  const absl::Status status = FillSchedule(
      spec, *FindSlice(setting.topology),
      {.batch_per_core = setting.batch_per_core,
       .dataset_size = setting.dataset_size,
       .recipe_batch = setting.recipe_batch,
       .smallest_converging_steps = setting.smallest_converging_steps},
      plan);
  if (!status.ok()) return status;
  return plan;
}

double Peak(const JobPlan& plan) { return plan.bits().learning_rate().peak(); }

TEST(ScheduleTest, AReferenceBatchScalesStepsAndRate) {
  ASSERT_OK_AND_ASSIGN(
      const JobPlan plan,
      Plan("train_steps: 100 reference_batch_size: 1000 warmup_steps: 10",
           {.batch_per_core = 125}));
  EXPECT_EQ(plan.global_batch(), 4000);
  EXPECT_EQ(plan.train_steps(), 25);
  EXPECT_EQ(plan.total_examples(), 100'000);
  EXPECT_EQ(plan.scaling().reference(), "batch 1000");
  EXPECT_EQ(plan.scaling().reference_steps(), 100);
  EXPECT_EQ(plan.scaling().reference_batch(), 1000);
  EXPECT_DOUBLE_EQ(Peak(plan), 0.4);
  EXPECT_EQ(plan.bits().learning_rate().warmup_examples(), 10'000);
  EXPECT_THAT(plan.notes(), Contains(HasSubstr("100,000 examples either way")));
  EXPECT_THAT(plan.notes(), Contains(HasSubstr("becomes 0.4")));
  EXPECT_THAT(plan.warnings(), IsEmpty());
}

// The published rows, through a reference slice and its batch per core.
TEST(ScheduleTest, AReferenceSliceHasTheSameBatchPerCore) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       Plan("train_steps: 113854 reference_topology: 'v2-8'",
                            {.topology = "v2-32",
                             .batch_per_core = 128,
                             .dataset_size = 1'281'167}));
  EXPECT_EQ(plan.scaling().reference_batch(), 1024);
  EXPECT_EQ(plan.global_batch(), 4096);
  EXPECT_EQ(plan.train_steps(), 28'464);
  EXPECT_EQ(plan.scaling().overshoot_examples(), 2048);
  EXPECT_THAT(plan.notes(),
              Contains(HasSubstr("2,048 more examples than asked for")));
}

TEST(ScheduleTest, WithoutAReferenceStepsStandAndTheRateIsTheRecipes) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       Plan("train_steps: 100 warmup_steps: 10", {}));
  EXPECT_EQ(plan.train_steps(), 100);
  EXPECT_EQ(plan.total_examples(), 25'600);
  EXPECT_EQ(plan.scaling().reference(), "");
  EXPECT_DOUBLE_EQ(Peak(plan), 0.4);  // 0.1 for batch 64, now 256
  EXPECT_EQ(plan.bits().learning_rate().warmup_examples(), 2560);
  EXPECT_THAT(plan.notes(), Contains(HasSubstr("as it stands")));
}

TEST(ScheduleTest, EpochsAreNeverScaled) {
  ASSERT_OK_AND_ASSIGN(
      const JobPlan plan,
      Plan("epochs: 2.5 reference_batch_size: 10", {.dataset_size = 1000}));
  EXPECT_EQ(plan.train_steps(), 10);  // 2,500 / 256 = 9.8
  EXPECT_EQ(plan.scaling().overshoot_examples(), 60);
  EXPECT_EQ(plan.scaling().reference_steps(), 0);
  EXPECT_DOUBLE_EQ(Peak(plan), 2.56);
}

TEST(ScheduleTest, RateRules) {
  const std::string base = "train_steps: 1 reference_batch_size: 64 ";
  ASSERT_OK_AND_ASSIGN(const JobPlan root,
                       Plan(base + "lr_scaling: 'sqrt'", {}));
  EXPECT_DOUBLE_EQ(Peak(root), 0.2);
  ASSERT_OK_AND_ASSIGN(const JobPlan none,
                       Plan(base + "lr_scaling: 'none'", {}));
  EXPECT_DOUBLE_EQ(Peak(none), 0.1);
  EXPECT_THAT(none.notes(), Not(Contains(HasSubstr("learning rate"))));
}

TEST(ScheduleTest, ABaseRateIsPer256Examples) {
  ASSERT_OK_AND_ASSIGN(
      const JobPlan plan,
      Plan("train_steps: 1 reference_batch_size: 64 base_learning_rate: 0.1",
           {.batch_per_core = 32}));
  EXPECT_DOUBLE_EQ(Peak(plan), 0.4);  // 1,024 / 256, whatever the reference
  EXPECT_EQ(plan.scaling().reference_rate(), 0.1);
}

TEST(ScheduleTest, WarnsOfABatchLargerThanTheData) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       Plan("train_steps: 1", {.dataset_size = 255}));
  EXPECT_THAT(plan.warnings(),
              Contains(AllOf(HasSubstr("256"), HasSubstr("255"))));
  ASSERT_OK_AND_ASSIGN(const JobPlan fine,
                       Plan("train_steps: 1", {.dataset_size = 256}));
  EXPECT_THAT(fine.warnings(), IsEmpty());
}

TEST(ScheduleTest, WarnsWhenTooFewStepsAreLeft) {
  const std::string recipe = "train_steps: 1000 reference_topology: 'v3-8'";
  // 64,000 examples: 125 steps on v3-64, 63 on v3-128.
  ASSERT_OK_AND_ASSIGN(
      const JobPlan few,
      Plan(recipe, {.topology = "v3-128", .smallest_converging_steps = 100}));
  EXPECT_EQ(few.train_steps(), 63);
  EXPECT_THAT(few.warnings(),
              Contains(AllOf(HasSubstr("only 63 steps"), HasSubstr("needs 100"),
                             HasSubstr("v3-64"))));
  ASSERT_OK_AND_ASSIGN(
      const JobPlan enough,
      Plan(recipe, {.topology = "v3-64", .smallest_converging_steps = 100}));
  EXPECT_THAT(enough.warnings(), IsEmpty());
  ASSERT_OK_AND_ASSIGN(
      const JobPlan own,
      Plan("train_steps: 5",
           {.topology = "v3-128", .smallest_converging_steps = 100}));
  EXPECT_THAT(own.warnings(), IsEmpty()) << "the user asked for five";
}

TEST(ScheduleTest, TheLargestConvergingSliceIsOfTheSameGeneration) {
  EXPECT_EQ(LargestConvergingSlice("v3", 64'000, 8, 100), "v3-64");
  EXPECT_EQ(LargestConvergingSlice("v2", 64'000, 8, 100), "v2-32");
  EXPECT_EQ(LargestConvergingSlice("v3", 64'000, 8, 1), "v3-2048");
  EXPECT_EQ(LargestConvergingSlice("v3", 64'000, 8, 1001), "");
}

TEST(ScheduleTest, WarnsOfAWarmUpThatNeverEnds) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       Plan("train_steps: 3 warmup_steps: 4", {}));
  EXPECT_THAT(plan.warnings(), Contains(HasSubstr("never reaches its peak")));
}

TEST(ScheduleTest, NotesRowsThatDoNotFillTiles) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       Plan("train_steps: 1", {.batch_per_core = 9}));
  EXPECT_THAT(plan.notes(), Contains(HasSubstr("tiles of 8 rows")));
}

TEST(ScheduleTest, WhatCannotBeCountedIsRefused) {
  EXPECT_THAT(Plan("train_steps: 1099511627776",
                   {.batch_per_core = std::int64_t{1} << 40}),
              StatusIs(kInvalid, HasSubstr("2^62")));
  EXPECT_THAT(Plan("train_steps: 1 warmup_steps: 1099511627776 "
                   "reference_batch_size: 1099511627776",
                   {}),
              StatusIs(kInvalid, HasSubstr("2^62")));
  EXPECT_THAT(Plan("train_steps: 1 learning_rate: 9e37", {}),
              StatusIs(kInvalid, HasSubstr("beyond float32")));
}

}  // namespace
}  // namespace podsim
