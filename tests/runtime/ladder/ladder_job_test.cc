// The one job of a ladder, out of settings.
#include "runtime/ladder/ladder_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Slice First() { return *FindSlice("v3-8"); }

absl::StatusOr<JobSpec> Scaled(const LadderSettings& settings,
                               const JobSpec& job) {
  return ScaledFromFirst(settings, job, First());
}

TEST(LadderJobTest, TheFirstRungIsTheReference) {
  JobSpec job;
  job.set_model("mlp");
  ASSERT_OK_AND_ASSIGN(const JobSpec scaled, Scaled({}, job));
  EXPECT_EQ(scaled.reference_topology(), "v3-8");
  EXPECT_FALSE(scaled.has_reference_batch_size());
  // The recipe of mlp on digits has 2,000 steps, with a warm-up of its own.
  EXPECT_FALSE(scaled.has_train_steps());
  EXPECT_EQ(scaled.processes(), 1);
}

TEST(LadderJobTest, LongRecipesAreCutShort) {
  JobSpec job;
  job.set_model("encoder");  // 2,500 steps
  ASSERT_OK_AND_ASSIGN(const JobSpec scaled, Scaled({}, job));
  EXPECT_EQ(scaled.train_steps(), kMostDefaultSteps);
}

TEST(LadderJobTest, StepsAreOfTheFirstRung) {
  LadderSettings settings;
  settings.set_steps(300);
  JobSpec job;
  job.set_train_steps(50);  // of a job file
  ASSERT_OK_AND_ASSIGN(const JobSpec scaled, Scaled(settings, job));
  EXPECT_EQ(scaled.train_steps(), 300);
  job.clear_train_steps();
  job.set_epochs(3);
  EXPECT_THAT(Scaled(settings, job).status(),
              StatusIs(kInvalid, HasSubstr("--steps and --epochs")));
}

TEST(LadderJobTest, AModelWithoutRecipeHasAShortRun) {
  JobSpec job;
  job.set_model_file("net.model");
  ASSERT_OK_AND_ASSIGN(const JobSpec scaled, Scaled({}, job));
  EXPECT_EQ(scaled.train_steps(), kOwnModelSteps);
}

TEST(LadderJobTest, AGlobalBatchIsItsOwnReference) {
  JobSpec job;
  job.set_train_batch_size(1024);
  ASSERT_OK_AND_ASSIGN(const JobSpec scaled, Scaled({}, job));
  EXPECT_EQ(scaled.reference_batch_size(), 1024);
  EXPECT_FALSE(scaled.has_reference_topology());
}

TEST(LadderJobTest, AReferenceOfTheJobStays) {
  JobSpec job;
  job.set_reference_topology("v3-32");
  job.set_processes(2);
  ASSERT_OK_AND_ASSIGN(const JobSpec scaled, Scaled({}, job));
  EXPECT_EQ(scaled.reference_topology(), "v3-32");
  EXPECT_EQ(scaled.processes(), 2);
}

TEST(LadderJobTest, SettingsOfOneRunAreRefused) {
  const testing::TempDir folder;
  const std::string path = folder.file("job.txt");
  std::ofstream(path) << "model: \"mlp\"\nmodel_dir: \"runs/a\"\n";
  LadderSettings settings;
  settings.set_job(path);
  Origins origins;
  EXPECT_THAT(JobOfLadder(settings, {}, origins).status(),
              StatusIs(kInvalid,
                       AllOf(HasSubstr("model_dir is a setting of one run"),
                             HasSubstr("--ladder_dir"), Not(HasSubstr("\n")))));
}

TEST(LadderJobTest, FlagsWinOverTheFile) {
  const testing::TempDir folder;
  const std::string path = folder.file("job.txt");
  std::ofstream(path) << "learning_rate: 0.5\ntrain_steps: 70\n";
  LadderSettings settings;
  settings.set_job(path);
  JobSpec flags;
  flags.set_learning_rate(0.25);
  Origins origins;
  ASSERT_OK_AND_ASSIGN(const JobSpec job,
                       JobOfLadder(settings, flags, origins));
  EXPECT_EQ(job.learning_rate(), 0.25);
  EXPECT_EQ(job.train_steps(), 70);
}

std::vector<std::string> NamesOf(const std::vector<Slice>& slices) {
  std::vector<std::string> names;
  for (const Slice& slice : slices) names.push_back(slice.name);
  return names;
}

TEST(LadderJobTest, SlicesAscend) {
  LadderSettings settings;
  ASSERT_OK_AND_ASSIGN(const auto usual, SlicesOfLadder(settings, {}));
  EXPECT_EQ(NamesOf(usual),
            (std::vector<std::string>{"v3-8", "v3-32", "v3-64", "v3-128"}));
  settings.add_topology("v3-32");
  settings.add_topology("v3-8");
  EXPECT_THAT(SlicesOfLadder(settings, {}).status(),
              StatusIs(kInvalid, HasSubstr("v3-8 after v3-32")));
  settings.set_topology(1, "v3-32");
  EXPECT_THAT(SlicesOfLadder(settings, {}).status(),
              StatusIs(kInvalid, HasSubstr("names v3-32 twice")));
}

TEST(LadderJobTest, AnEfficiencyToStopAt) {
  ASSERT_OK_AND_ASSIGN(const RungLimits none, LimitsOf(""));
  EXPECT_FALSE(none.least_efficiency.has_value());
  ASSERT_OK_AND_ASSIGN(const RungLimits limits, LimitsOf("efficiency:0.8"));
  EXPECT_EQ(limits.least_efficiency, 0.8);
  for (const char* text : {"0.8", "efficiency", "efficiency:", "efficiency:0",
                           "efficiency:80", "efficiency:nan", "loss:1"})
    EXPECT_THAT(LimitsOf(text).status(),
                StatusIs(kInvalid,
                         AllOf(HasSubstr(text), HasSubstr("efficiency:0.8"))));
  for (const char* text : {"0.5", "50%", "efficiency:50", "Efficiency=0.5"})
    EXPECT_THAT(LimitsOf(text).status(),
                StatusIs(kInvalid, HasSubstr("such as efficiency:0.5")));
}

LadderRow RowOf(const std::string& slice, std::int64_t steps,
                std::int64_t batch) {
  LadderRow row = {.slice = *FindSlice(slice)};
  row.plan.set_train_steps(steps);
  row.plan.set_global_batch(batch);
  return row;
}

TEST(LadderJobTest, RungsTrainOnAsManyExamples) {
  Ladder ladder;
  // 6,400 examples; 25 x 256 are as many, 7 x 1,024 = 7,168 less than a batch
  // more.
  ladder.rows = {RowOf("v3-8", 100, 64), RowOf("v3-32", 25, 256),
                 RowOf("v3-128", 7, 1024)};
  EXPECT_THAT(CheckExamples(ladder), IsOk());
  ladder.rows[1].plan.set_train_steps(100);
  EXPECT_THAT(CheckExamples(ladder),
              StatusIs(kInvalid, AllOf(HasSubstr("v3-8 trains on 6,400"),
                                       HasSubstr("v3-32 on 25,600"))));
}

TEST(LadderJobTest, ARowThatIsRefusedSaysWhy) {
  LadderRow row = {.slice = *FindSlice("v3-32"),
                   .status = absl::ResourceExhaustedError("too much")};
  RungPlan plan = RungPlanOf(row);
  EXPECT_EQ(plan.refused, "too much");
  EXPECT_TRUE(plan.beyond_hbm);
  row.status = absl::InvalidArgumentError("not divided");
  plan = RungPlanOf(row);
  EXPECT_FALSE(plan.beyond_hbm);
  EXPECT_EQ(plan.chips, 16);
}

}  // namespace
}  // namespace podsim
