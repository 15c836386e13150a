#include "runtime/monitor/job_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/phases.h"
#include "runtime/monitor/chip_view.h"
#include "tests/runtime/monitor/watched_job.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::FormedJob;
using ::podsim::testing::StartedJob;
using ::podsim::testing::StepOfJob;
using ::podsim::testing::TrainingState;
using ::podsim::testing::Watched;
using ::testing::HasSubstr;

TEST(JobStateTest, PhasesFollowTheEvents) {
  JobState state;
  JobEvent waiting;
  waiting.mutable_waiting()->add_missing(1);
  Fold(Watched(1, waiting), state);
  EXPECT_EQ(state.phase, JobPhase::kForming);
  EXPECT_THAT(state.waits_for, HasSubstr("processes 1, which have not joined"));
  Fold(Watched(2, FormedJob()), state);
  EXPECT_EQ(state.phase, JobPhase::kStarting);
  EXPECT_EQ(state.waits_for, "");
  EXPECT_EQ(state.plan->program(), "");
  ASSERT_EQ(state.processes.size(), 2u);
  EXPECT_EQ(state.processes[1].pid(), 4712);
  Fold(Watched(3, StartedJob()), state);
  EXPECT_EQ(state.phase, JobPhase::kTraining);
  Fold(Watched(4, StepOfJob(1)), state);
  EXPECT_EQ(state.wall_time, 1001);
  JobEvent tracing;
  tracing.mutable_waiting()->add_tracing(0);
  Fold(Watched(4, tracing), state);
  EXPECT_THAT(state.waits_for, HasSubstr("processes 0, which write"));
  JobEvent saved;
  saved.mutable_saved()->set_step(1);
  Fold(Watched(5, saved), state);
  EXPECT_EQ(state.checkpoints, 1);
  EXPECT_EQ(state.saved->step(), 1);
  JobEvent done;
  done.mutable_done()->set_steps(1);
  Fold(Watched(6, done), state);
  EXPECT_EQ(state.phase, JobPhase::kDone);
}

TEST(JobStateTest, AFailureIsKeptWithItsWords) {
  JobState state = TrainingState();
  JobEvent failed;
  failed.mutable_failed()->set_message("host 1 is lost");
  Fold(Watched(20, failed), state);
  EXPECT_EQ(state.phase, JobPhase::kFailed);
  EXPECT_EQ(state.failure, "host 1 is lost");
}

TEST(JobStateTest, AnotherGenerationBeginsAnew) {
  JobState state = TrainingState();
  Fold(Watched(1, FormedJob(), /*generation=*/2), state);
  EXPECT_EQ(state.generation, 2u);
  EXPECT_EQ(state.phase, JobPhase::kStarting);
  EXPECT_TRUE(state.steps.empty());
}

TEST(JobStateTest, TheLastStepsAreKept) {
  const JobState state = TrainingState();
  ASSERT_EQ(state.steps.size(), kShownSteps);
  EXPECT_EQ(state.steps.front().step(), 3);
  EXPECT_EQ(state.steps.back().step(), 12);
}

TEST(JobStateTest, SharesArePartsOfTheStep) {
  const auto shares = SharesOf(TrainingState());
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_NEAR(shares[0].busy, 0.7, 1e-6);
  EXPECT_NEAR(shares[0].input, 0.1, 1e-6);
  EXPECT_NEAR(shares[0].waited, 0, 1e-6);
  EXPECT_NEAR(shares[1].busy, 0.5, 1e-6);
  EXPECT_NEAR(shares[1].input, 0.2, 1e-6);
  EXPECT_NEAR(shares[1].waited, 0.3, 1e-6);
  EXPECT_TRUE(SharesOf(JobState()).empty());
}

// What is measured on two processes may add up to more than the step of one.
TEST(JobStateTest, NobodyIsBusyForMoreThanTheStep) {
  JobState state;
  Fold(Watched(1, FormedJob()), state);
  JobEvent step = StepOfJob(1);
  ASSERT_EQ(step.step().process_phases(1).name(), kComputePhase.name);
  step.mutable_step()->mutable_process_phases(1)->set_seconds(0, 0.0999F);
  Fold(Watched(2, step), state);
  EXPECT_NEAR(SharesOf(state)[0].busy, 1, 1e-9);
}

TEST(JobStateTest, MeansAreOfTheLastSteps) {
  const JobState state = TrainingState();
  EXPECT_NEAR(MeanStepSeconds(state), 0.1, 1e-9);
  EXPECT_NEAR(MeanExamplesPerSecond(state), 640, 1e-6);
  EXPECT_EQ(MeanStepSeconds(JobState()), 0);
  EXPECT_EQ(MeanExamplesPerSecond(JobState()), 0);
}

TEST(JobStateTest, HostsBelongToProcesses) {
  const JobState state = TrainingState();
  EXPECT_EQ(ProcessOfHost(state, 0), 0);
  EXPECT_EQ(ProcessOfHost(state, 1), 0);
  EXPECT_EQ(ProcessOfHost(state, 2), 1);
  EXPECT_EQ(ProcessOfHost(state, 3), 1);
  EXPECT_EQ(ProcessOfHost(JobState(), 3), 0);
}

TEST(ChipViewTest, AHostOfV3HasFourChipsOfTwoCores) {
  const JobState state = TrainingState();
  ASSERT_OK_AND_ASSIGN(const Slice slice, SliceOf(state));
  EXPECT_EQ(ChipTypeName(slice), "TPU v3 chip");
  const auto devices = DevicesOf(state, slice, 3);
  ASSERT_EQ(devices.size(), 8u);
  EXPECT_EQ(devices[7].device, 7);
  EXPECT_EQ(devices[7].chip, 3);
  EXPECT_EQ(devices[7].hbm_used, 3 * kGiB / 2);
  EXPECT_EQ(devices[7].hbm_total, 16 * kGiB);
  EXPECT_NEAR(devices[7].duty, 0.5, 1e-6);
}

TEST(ChipViewTest, ADeviceOfV4IsAChip) {
  JobState state = TrainingState("v4-8");
  ASSERT_OK_AND_ASSIGN(const Slice slice, SliceOf(state));
  const auto devices = DevicesOf(state, slice, 0);
  ASSERT_EQ(devices.size(), 4u);
  EXPECT_EQ(devices[3].chip, 3);
  EXPECT_EQ(devices[3].hbm_total, 32 * kGiB);
}

TEST(ChipViewTest, NothingIsHeldBeforeTrainingAndAfter) {
  JobState state;
  Fold(Watched(1, FormedJob()), state);
  ASSERT_OK_AND_ASSIGN(const Slice slice, SliceOf(state));
  EXPECT_EQ(DevicesOf(state, slice, 0)[0].hbm_used, 0);
  state = TrainingState();
  JobEvent done;
  done.mutable_done();
  Fold(Watched(20, done), state);
  EXPECT_EQ(DevicesOf(state, slice, 0)[0].hbm_used, 0);
  EXPECT_EQ(DevicesOf(state, slice, 0)[0].duty, 0);
}

TEST(ChipViewTest, LinksAreToldWithTheirFaults) {
  JobEvent formed = FormedJob("v3-8");
  JobState state;
  Fold(Watched(1, formed), state);
  ASSERT_OK_AND_ASSIGN(Slice slice, SliceOf(state));
  EXPECT_EQ(LinksText(slice), "4 a chip, 82 GB/s each way, 2x2 mesh");
  formed.mutable_formed()->mutable_plan()->mutable_spec()->set_ici_fault(
      "link:(0,0)-(1,0):0.25");
  Fold(Watched(2, formed), state);
  ASSERT_OK_AND_ASSIGN(slice, SliceOf(state));
  EXPECT_EQ(LinksText(slice),
            "4 a chip, 82 GB/s each way, 2x2 mesh; link (0,0)-(1,0) at 0.25 of "
            "its rate");
}

}  // namespace
}  // namespace podsim
