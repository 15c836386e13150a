// Schedules: scaled steps, rates and warm-up, and what the plan says of them.
#include "runtime/job/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "job/plan_warning.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::Spec;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct TypedSetting {
  const char* topology = "v3-32";
  std::int64_t batch_per_core = 8;
  std::int64_t dataset_size = 100'000;
  // A tenth of its 1,000 steps is warm-up.
  std::int64_t smallest_converging_steps = 0;
  double largest_converging_rate = 0;
  std::vector<const char*> from_recipe = {};
};

absl::StatusOr<JobPlan> PlanSchedule(const std::string& text,
                                     const TypedSetting& setting) {
  JobSpec spec = Spec(text);
  if (!spec.has_learning_rate() && !spec.has_base_learning_rate())
    spec.set_learning_rate(0.1);
  if (!spec.has_lr_scaling()) spec.set_lr_scaling(words::RateScaling::linear);
  const Recipe recipe = {
      .steps = 1000,
      .learning_rate = 0.1,
      .warmup_steps = 100,
      .smallest_converging_steps = setting.smallest_converging_steps,
      .largest_converging_rate = setting.largest_converging_rate};
  JobPlan plan;
  for (const char* field : setting.from_recipe) plan.add_from_recipe(field);
  const absl::Status status =
      FillSchedule(spec, *FindSlice(setting.topology),
                   {.batch_per_core = setting.batch_per_core,
                    .dataset_size = setting.dataset_size,
                    .recipe = &recipe},
                   plan);
  if (!status.ok()) return status;
  return plan;
}

double Peak(const JobPlan& plan) { return plan.bits().learning_rate().peak(); }

TEST(ScheduleTest, AReferenceBatchScalesStepsAndRate) {
  ASSERT_OK_AND_ASSIGN(
      const JobPlan plan,
      PlanSchedule(
          "train_steps: 100 reference_batch_size: 1000 warmup_steps: 10",
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
  ASSERT_OK_AND_ASSIGN(
      const JobPlan plan,
      PlanSchedule("train_steps: 113854 reference_topology: 'v2-8'",
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

// The guide's rule in full: 1,024 on v2-8 is 4,096 on v2-32.
TEST(ScheduleTest, AReferenceMayBeABatchOnASlice) {
  ASSERT_OK_AND_ASSIGN(
      const JobPlan plan,
      PlanSchedule("train_steps: 113854 reference_topology: 'v2-8' "
                   "reference_batch_size: 1024",
                   {.topology = "v2-32", .batch_per_core = 128}));
  EXPECT_EQ(plan.scaling().reference(), "v2-8");
  EXPECT_EQ(plan.scaling().reference_batch(), 1024);
  EXPECT_EQ(plan.global_batch(), 4096);
  EXPECT_EQ(plan.train_steps(), 28'464);
  EXPECT_DOUBLE_EQ(Peak(plan), 0.4);
}

TEST(ScheduleTest, WithoutAReferenceNothingIsScaled) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       PlanSchedule("train_steps: 100 warmup_steps: 10", {}));
  EXPECT_EQ(plan.train_steps(), 100);
  EXPECT_EQ(plan.total_examples(), 25'600);
  EXPECT_EQ(plan.scaling().reference(), "");
  EXPECT_DOUBLE_EQ(Peak(plan), 0.1);
  EXPECT_EQ(plan.bits().learning_rate().warmup_examples(), 2560);
  EXPECT_THAT(plan.notes(), Contains(AllOf(HasSubstr("nothing is scaled"),
                                           HasSubstr("--reference_topology"))));
  ASSERT_OK_AND_ASSIGN(const JobPlan bare,
                       PlanSchedule("train_steps: 100", {}));
  EXPECT_EQ(bare.bits().learning_rate().warmup_examples(), 0)
      << "no recipe has a say in it";
}

TEST(ScheduleTest, ARecipesWarmUpIsAShareOfTheRun) {
  ASSERT_OK_AND_ASSIGN(
      const JobPlan plan,
      PlanSchedule("train_steps: 40 reference_batch_size: 64", {}));
  EXPECT_EQ(plan.total_examples(), 2560);
  EXPECT_EQ(plan.bits().learning_rate().warmup_examples(), 256);
  EXPECT_THAT(plan.from_recipe(), Contains("warmup_steps"));
  ASSERT_OK_AND_ASSIGN(const JobPlan own,
                       PlanSchedule("train_steps: 40 reference_batch_size: 64 "
                                    "warmup_steps: 0",
                                    {}));
  EXPECT_EQ(own.bits().learning_rate().warmup_examples(), 0);
  EXPECT_THAT(own.from_recipe(), IsEmpty());
}

// The recipe's reference was not asked for: the flag that undoes it is named.
TEST(ScheduleTest, OnesOwnNumbersAtTheRecipesReferenceAreNoted) {
  const std::string reference =
      " reference_topology: 'v3-8' reference_batch_size: 64";
  ASSERT_OK_AND_ASSIGN(
      const JobPlan steps,
      PlanSchedule("train_steps: 1000" + reference,
                   {.from_recipe = {"reference_topology", "learning_rate"}}));
  EXPECT_EQ(steps.train_steps(), 250);
  EXPECT_THAT(
      steps.notes(),
      Contains("train_steps 1,000 is for the recipe's reference (v3-8, batch "
               "64), as the rest is; --reference_topology=v3-32 keeps it as "
               "typed"));
  ASSERT_OK_AND_ASSIGN(
      const JobPlan rate,
      PlanSchedule(
          "train_steps: 1000 learning_rate: 0.2 warmup_steps: 3" + reference,
          {.from_recipe = {"reference_topology", "train_steps"}}));
  EXPECT_THAT(
      rate.notes(),
      Contains(AllOf(HasSubstr("learning_rate 0.2 and warmup_steps 3 are for"),
                     HasSubstr("keeps them as typed"))));
  // Asked for; nothing to scale; nothing of one's own.
  for (const auto& [topology, from_recipe] :
       {std::pair<const char*, std::vector<const char*>>{"v3-32", {}},
        {"v3-8", {"reference_topology"}},
        {"v3-32", {"reference_topology", "train_steps", "learning_rate"}}}) {
    ASSERT_OK_AND_ASSIGN(
        const JobPlan plan,
        PlanSchedule("train_steps: 1000" + reference,
                     {.topology = topology, .from_recipe = from_recipe}));
    EXPECT_THAT(plan.notes(), Not(Contains(HasSubstr("as typed"))));
  }
}

TEST(ScheduleTest, EpochsAreNeverScaled) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       PlanSchedule("epochs: 2.5 reference_batch_size: 10",
                                    {.dataset_size = 1000}));
  EXPECT_EQ(plan.train_steps(), 10);  // 2,500 / 256 = 9.8
  EXPECT_EQ(plan.scaling().overshoot_examples(), 60);
  EXPECT_EQ(plan.scaling().reference_steps(), 0);
  EXPECT_DOUBLE_EQ(Peak(plan), 2.56);
}

TEST(ScheduleTest, RateRules) {
  const std::string base = "train_steps: 1 reference_batch_size: 64 ";
  ASSERT_OK_AND_ASSIGN(const JobPlan root,
                       PlanSchedule(base + "lr_scaling: sqrt", {}));
  EXPECT_DOUBLE_EQ(Peak(root), 0.2);
  ASSERT_OK_AND_ASSIGN(const JobPlan none,
                       PlanSchedule(base + "lr_scaling: none", {}));
  EXPECT_DOUBLE_EQ(Peak(none), 0.1);
  EXPECT_THAT(none.notes(), Not(Contains(HasSubstr("learning rate"))));
}

TEST(ScheduleTest, ABaseRateIsPer256Examples) {
  ASSERT_OK_AND_ASSIGN(
      const JobPlan plan,
      PlanSchedule(
          "train_steps: 1 reference_batch_size: 64 base_learning_rate: 0.1",
          {.batch_per_core = 32}));
  EXPECT_DOUBLE_EQ(Peak(plan), 0.4);  // 1,024 / 256, whatever the reference
  EXPECT_EQ(plan.scaling().reference_rate(), 0.1);
}

TEST(ScheduleTest, WarnsOfABatchLargerThanTheData) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       PlanSchedule("train_steps: 1", {.dataset_size = 255}));
  EXPECT_THAT(WarningTexts(plan),
              Contains(AllOf(HasSubstr("256"), HasSubstr("255"))));
  ASSERT_OK_AND_ASSIGN(const JobPlan fine,
                       PlanSchedule("train_steps: 1", {.dataset_size = 256}));
  EXPECT_THAT(fine.warnings(), IsEmpty());
}

TEST(ScheduleTest, WarnsWhenTooFewStepsAreLeft) {
  const std::string recipe = "train_steps: 1000 reference_topology: 'v3-8'";
  // 64,000 examples: 125 steps on v3-64, 63 on v3-128.
  ASSERT_OK_AND_ASSIGN(
      const JobPlan few,
      PlanSchedule(recipe,
                   {.topology = "v3-128", .smallest_converging_steps = 100}));
  EXPECT_EQ(few.train_steps(), 63);
  EXPECT_THAT(WarningTexts(few),
              Contains(AllOf(HasSubstr("only 63 steps"), HasSubstr("needs 100"),
                             HasSubstr("v3-64"))));
  ASSERT_OK_AND_ASSIGN(
      const JobPlan enough,
      PlanSchedule(recipe,
                   {.topology = "v3-64", .smallest_converging_steps = 100}));
  EXPECT_THAT(enough.warnings(), IsEmpty());
}

// However they came about: the steps that are made decide.
TEST(ScheduleTest, WarnsOfTooFewStepsOfAnyOrigin) {
  for (const char* text : {"train_steps: 99", "epochs: 1",
                           "train_steps: 99 reference_topology: 'v3-128'"}) {
    ASSERT_OK_AND_ASSIGN(
        const JobPlan plan,
        PlanSchedule(text, {.topology = "v3-128",
                            .dataset_size = 9900,
                            .smallest_converging_steps = 100}));
    EXPECT_LT(plan.train_steps(), 100) << text;
    EXPECT_THAT(WarningTexts(plan),
                Contains(HasSubstr("the recipe needs 100 to converge")))
        << text;
  }
}

TEST(ScheduleTest, WarnsOfARateThatWasNotMeasured) {
  const auto warnings = [](double rate) {
    auto plan =
        PlanSchedule(absl::StrCat("train_steps: 9 learning_rate: ", rate),
                     {.largest_converging_rate = 1.6});
    EXPECT_TRUE(plan.ok());
    return WarningTexts(*plan);
  };
  EXPECT_THAT(warnings(0.1), IsEmpty());
  EXPECT_THAT(warnings(1.6), IsEmpty());
  EXPECT_THAT(warnings(0.02), IsEmpty()) << "a smaller batch has one";
  EXPECT_THAT(warnings(3.2),
              Contains(AllOf(HasSubstr("3.2"), HasSubstr("far above"),
                             HasSubstr("0.1 to 1.6"))));
  EXPECT_THAT(warnings(0.001), Contains(HasSubstr("far below")));
}

TEST(ScheduleTest, TheLargestConvergingSliceIsOfTheSameGeneration) {
  EXPECT_EQ(LargestConvergingSlice({}, "v3", 64'000, 8, 100), "v3-64");
  EXPECT_EQ(LargestConvergingSlice({}, "v2", 64'000, 8, 100), "v2-32");
  EXPECT_EQ(LargestConvergingSlice({}, "v3", 64'000, 8, 1), "v3-2048");
  EXPECT_EQ(LargestConvergingSlice({}, "v3", 64'000, 8, 1001), "");
}

TEST(ScheduleTest, WarnsOfAWarmUpThatNeverEnds) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       PlanSchedule("train_steps: 3 warmup_steps: 4", {}));
  EXPECT_THAT(WarningTexts(plan),
              Contains("the warm-up of 4 steps is longer than the run of 3: "
                       "the learning rate never reaches its peak; give "
                       "--warmup_steps below 3, or more --train_steps"));
  ASSERT_OK_AND_ASSIGN(
      const JobPlan decays,
      PlanSchedule("train_steps: 4 warmup_steps: 10 lr_schedule: cosine", {}));
  EXPECT_THAT(WarningTexts(decays),
              Contains(HasSubstr("never reaches its peak, and the decay of "
                                 "lr_schedule=cosine never begins; give")));
  // As typed, of the reference: on the slice they are 1 and 3 steps.
  ASSERT_OK_AND_ASSIGN(const JobPlan scaled,
                       PlanSchedule("train_steps: 4 warmup_steps: 10 "
                                    "reference_batch_size: 64",
                                    {}));
  EXPECT_EQ(scaled.train_steps(), 1);
  EXPECT_THAT(WarningTexts(scaled),
              Contains(HasSubstr("the warm-up of 10 steps is longer than the "
                                 "run of 4 (of batch 64): the")));
  ASSERT_OK_AND_ASSIGN(
      const JobPlan epochs,
      PlanSchedule("epochs: 1 warmup_steps: 10", {.dataset_size = 512}));
  EXPECT_THAT(WarningTexts(epochs),
              Contains(AllOf(HasSubstr("of 10 steps is longer than the run of "
                                       "2: the"),
                             HasSubstr("below 2, or more --epochs"))));
}

TEST(ScheduleTest, AWarmUpMayBeginSomewhere) {
  ASSERT_OK_AND_ASSIGN(
      const JobPlan plan,
      PlanSchedule("train_steps: 30 warmup_steps: 4 warmup_init: 0.25", {}));
  EXPECT_EQ(plan.bits().learning_rate().warmup_init(), 0.25);
  EXPECT_THAT(
      PlanSchedule("train_steps: 30 warmup_steps: 0 warmup_init: 0.25", {}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("warmup_init is 0.25 but there is no warm-up; give "
                         "--warmup_steps=N")));
}

TEST(ScheduleTest, NotesRowsThatDoNotFillTiles) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       PlanSchedule("train_steps: 1", {.batch_per_core = 9}));
  EXPECT_THAT(plan.notes(), Contains(HasSubstr("tiles of 8 rows")));
}

TEST(ScheduleTest, WhatCannotBeCountedIsRefused) {
  EXPECT_THAT(PlanSchedule("train_steps: 1099511627776",
                           {.batch_per_core = std::int64_t{1} << 40}),
              StatusIs(kInvalid, HasSubstr("2^62 examples); give up to 131,072 "
                                           "steps")));
  EXPECT_THAT(PlanSchedule("train_steps: 1 warmup_steps: 1099511627776 "
                           "reference_batch_size: 1099511627776",
                           {}),
              StatusIs(kInvalid, HasSubstr("2^62")));
  EXPECT_THAT(PlanSchedule("train_steps: 1 learning_rate: 9e37 "
                           "reference_batch_size: 64",
                           {}),
              StatusIs(kInvalid, HasSubstr("beyond float32")));
}

}  // namespace
}  // namespace podsim
