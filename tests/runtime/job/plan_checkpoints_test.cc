// What a plan says of checkpoints, restarts, checks and faults.
#include "runtime/job/plan_checkpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/job/draw_faults.h"
#include "runtime/job/plan_faults.h"
#include "settings/words.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Digits;
using ::podsim::testing::Inputs;
using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::Spec;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kDir[] = " model_dir: '/m' ";

absl::StatusOr<JobPlan> PlanSaving(const std::string& text) {
  return PlanJob(Spec(text), Inputs(Digits()));
}

TEST(FillCheckpointsTest, WithoutModelDirThereAreNone) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, PlanSaving(""));
  EXPECT_EQ(plan.spec().model_dir(), "");
  EXPECT_EQ(plan.spec().checkpoint_every(), 0);
  EXPECT_EQ(plan.spec().checkpoint_every_seconds(), 0);
  EXPECT_EQ(plan.spec().keep(), 0);
  EXPECT_EQ(plan.spec().mode(), words::Mode::train);
  EXPECT_EQ(plan.spec().weights_check_every(), 100);
  EXPECT_EQ(plan.spec().audit_every(), 0);
  EXPECT_EQ(plan.spec().on_corruption(), words::OnCorruption::stop);
  EXPECT_TRUE(plan.faults().empty());
  EXPECT_THAT(plan.notes(), Not(Contains(HasSubstr("restart"))));
}

struct Refused {
  const char* text;
  const char* says;
};

class NeedsModelDirTest : public ::testing::TestWithParam<Refused> {};

TEST_P(NeedsModelDirTest, IsRefusedWithoutIt) {
  EXPECT_THAT(PlanSaving(GetParam().text),
              StatusIs(kInvalid, AllOf(HasSubstr(GetParam().says),
                                       HasSubstr("model_dir"))));
  EXPECT_THAT(PlanSaving(absl::StrCat(GetParam().text, kDir)), IsOk());
}

INSTANTIATE_TEST_SUITE_P(
    All, NeedsModelDirTest,
    ::testing::Values(
        Refused{"checkpoint_every: 10", "checkpoint_every is 10 and needs"},
        Refused{"checkpoint_every: 0", "checkpoint_every is 0 and needs"},
        Refused{"checkpoint_every_seconds: 1.5",
                "checkpoint_every_seconds is 1.5 and needs"},
        Refused{"keep: 3",
                "keep is 3 and needs model_dir, where checkpoints go: give "
                "--model_dir=DIR, or leave keep out"},
        Refused{"on_corruption: restore", "on_corruption is restore and needs"},
        Refused{"mode: eval", "mode=eval"},
        Refused{"faults { faults { kind: STORAGE_FAIL host: 0 step: 1 } }",
                "--model_dir"},
        Refused{"faults { faults { kind: KILL host: 0 step: 1 phase: "
                "'checkpoint' } }",
                "--model_dir"}));

// Round the ring 0, 1, 3, 2.
TEST(FillFaultsTest, LinkFaultsStrikeLinesThatThePlanUses) {
  const std::string flip = "algo: ring faults { faults { kind: FLIP ";
  EXPECT_THAT(PlanSaving(flip + "host: 3 to: 0 step: 1 } }"),
              StatusIs(kInvalid, HasSubstr("no frames go from host 3 to host 0 "
                                           "in this job, only to 2")));
  EXPECT_THAT(PlanSaving(flip + "host: 3 to: 2 step: 1 } }"), IsOk());
}

struct Interval {
  const char* text;
  std::int64_t steps;
  double seconds;
};

class IntervalTest : public ::testing::TestWithParam<Interval> {};

TEST_P(IntervalTest, IsTheUsersOrTenMinutes) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       PlanSaving(absl::StrCat(GetParam().text, kDir)));
  EXPECT_EQ(plan.spec().model_dir(), "/m");
  EXPECT_EQ(plan.spec().checkpoint_every(), GetParam().steps);
  EXPECT_EQ(plan.spec().checkpoint_every_seconds(), GetParam().seconds);
}

INSTANTIATE_TEST_SUITE_P(
    All, IntervalTest,
    ::testing::Values(
        Interval{"", 0, 600}, Interval{"keep: 2", 0, 600},
        Interval{"checkpoint_every: 10", 10, 0},
        Interval{"checkpoint_every_seconds: 30", 0, 30},
        Interval{"checkpoint_every: 10 checkpoint_every_seconds: 30", 10, 30},
        // Only at the end.
        Interval{"checkpoint_every: 0", 0, 0},
        Interval{"checkpoint_every_seconds: 0", 0, 0}));

TEST(FillCheckpointsTest, TakesWhatTheJobSays) {
  ASSERT_OK_AND_ASSIGN(
      const JobPlan plan,
      PlanSaving(absl::StrCat("keep: 3 weights_check_every: 7 audit_every: 5 "
                              "on_corruption: restore mode: eval",
                              kDir)));
  EXPECT_EQ(plan.spec().keep(), 3);
  EXPECT_EQ(plan.spec().weights_check_every(), 7);
  EXPECT_EQ(plan.spec().audit_every(), 5);
  EXPECT_EQ(plan.spec().on_corruption(), words::OnCorruption::restore);
  EXPECT_EQ(plan.spec().mode(), words::Mode::eval);
}

TEST(FillCheckpointsTest, OneCheckpointIsEnoughToEvaluate) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       PlanSaving("mode: eval restore: '/m/100'"));
  EXPECT_EQ(plan.spec().mode(), words::Mode::eval);
  EXPECT_EQ(plan.spec().model_dir(), "");
}

TEST(FillCheckpointsTest, RestartsFromTheFirstStepAreNoted) {
  const auto note = Contains(HasSubstr("begins again with the first step"));
  ASSERT_OK_AND_ASSIGN(const JobPlan without, PlanSaving("max_restarts: 2"));
  EXPECT_THAT(without.notes(), note);
  ASSERT_OK_AND_ASSIGN(const JobPlan with,
                       PlanSaving(absl::StrCat("max_restarts: 2", kDir)));
  EXPECT_THAT(with.notes(), Not(note));
  ASSERT_OK_AND_ASSIGN(const JobPlan none, PlanSaving("max_restarts: 0"));
  EXPECT_THAT(none.notes(), Not(note));
}

TEST(FillCheckpointsTest, AHostAloneHasNobodyToAuditIt) {
  ASSERT_OK_AND_ASSIGN(const JobPlan alone,
                       PlanSaving("topology: 'v3-8' audit_every: 5"));
  EXPECT_EQ(alone.spec().audit_every(), 0);
  EXPECT_THAT(alone.notes(), Contains(HasSubstr("audit_every is 5, but a slice "
                                                "of one host has no other")));
  ASSERT_OK_AND_ASSIGN(
      const JobPlan packed,
      PlanSaving("topology: 'v3-32' processes: 1 audit_every: 5"));
  EXPECT_EQ(packed.spec().audit_every(), 5);
}

TEST(DrawFaultsTest, ThoseOfAJobAreInItsPlanInOrder) {
  const std::string text =
      "train_steps: 50 reference_topology: 'v3-32' "
      "faults { faults { kind: SLOW host: 0 step: 9 seconds: 2 } "
      "faults { kind: KILL host: 3 step: 4 } "
      "random { seed: 7 per_step: 0.5 kinds: FREEZE } } faults_done: [1, 0]";
  const JobSpec spec = Spec(text);
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, PlanSaving(text));
  ASSERT_OK_AND_ASSIGN(const std::vector<Fault> faults,
                       DrawFaults(spec.faults(), {.hosts = 4, .steps = 50}));
  ASSERT_GT(faults.size(), 10) << "some are drawn";
  ASSERT_EQ(plan.faults_size(), faults.size());
  for (int i = 0; i < plan.faults_size(); ++i)
    EXPECT_EQ(plan.faults(i).SerializeAsString(),
              faults[i].SerializeAsString());
  EXPECT_THAT(plan.spec().faults_done(), ElementsAre(1, 0));
}

TEST(DrawFaultsTest, AreCheckedAgainstTheJob) {
  const auto fault = [](const std::string& what, const std::string& rest = "") {
    return PlanSaving(
        absl::StrCat("train_steps: 50 reference_topology: 'v3-32' ", rest,
                     " faults { faults { ", what, " } }"));
  };
  EXPECT_THAT(fault("kind: KILL host: 3 step: 50"), IsOk());
  EXPECT_THAT(
      fault("kind: KILL host: 4 step: 50"),
      StatusIs(kInvalid, HasSubstr("host is 4; allowed: 0 to 3 (the job has 4 "
                                   "hosts); give one of them")));
  EXPECT_TRUE(IsOfFaultPlan(fault("kind: KILL host: 4 step: 50").status()));
  EXPECT_FALSE(IsOfFaultPlan(PlanSaving("train_steps: 0").status()));
  EXPECT_THAT(
      fault("kind: KILL host: 0 step: 51"),
      StatusIs(kInvalid, HasSubstr("step is 51; allowed: 1 to 50 (the job has "
                                   "50 steps); give one of them, or more "
                                   "--train_steps")));
  const auto scaled = PlanSaving(
      "train_steps: 4 reference_topology: 'v3-8' faults { faults { kind: KILL "
      "host: 0 step: 5000 } }");
  EXPECT_THAT(scaled,
              StatusIs(kInvalid, HasSubstr("step is 5000; allowed: 1 "
                                           "(--train_steps 4 of v3-8 are 1 "
                                           "step on v3-32); give that, or")));
  EXPECT_EQ(FaultOf(scaled.status()), 0);
  EXPECT_THAT(fault("kind: CUT host: 0 to: 1 step: 1"), IsOk());
  EXPECT_THAT(fault("kind: CUT host: 0 to: 1 step: 1", "processes: 2"),
              StatusIs(kInvalid, HasSubstr("both are of one process")));
}

class PlanHashTest : public ::testing::TestWithParam<const char*> {};

TEST_P(PlanHashTest, DoesNotCoverWhatDecidesNoBits) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, PlanSaving("train_steps: 50"));
  ASSERT_OK_AND_ASSIGN(
      const JobPlan other,
      PlanSaving(absl::StrCat("train_steps: 50 ", GetParam(), kDir)));
  EXPECT_EQ(other.hash(), plan.hash());
}

INSTANTIATE_TEST_SUITE_P(
    All, PlanHashTest,
    ::testing::Values("", "checkpoint_every: 10", "checkpoint_every_seconds: 3",
                      "keep: 3", "restore: '/m/100'", "mode: eval",
                      "max_restarts: 3", "weights_check_every: 1",
                      "audit_every: 1", "on_corruption: restore",
                      "faults { faults { kind: KILL host: 0 step: 3 } }",
                      "faults { faults { kind: KILL host: 0 step: 3 } } "
                      "faults_done: 0"));

}  // namespace
}  // namespace podsim
