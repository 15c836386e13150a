// Checkpoints, holds and early ends, in virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/coordinator/pod_script.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::BenchTestPlan;
using ::podsim::testing::DoneMessage;
using ::podsim::testing::JoinOf;
using ::podsim::testing::PodScript;
using ::podsim::testing::ReadyMessage;
using ::podsim::testing::StepMessage;
using ::podsim::testing::TestPlan;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kHosts = 4;
constexpr int kProcesses = 2;
constexpr int kSteps = 10;

JobPlan SavingPlan() {
  JobPlan plan = TestPlan(kHosts, kProcesses, kSteps);
  plan.mutable_spec()->set_model_dir("/model");
  plan.set_hash("plan");
  plan.mutable_bits()->set_slice("v3-32");
  return plan;
}

HostMessage PartMessage(int process, std::int64_t step) {
  HostMessage message;
  CheckpointPart& part = *message.mutable_checkpoint();
  part.set_step(step);
  part.set_seconds_paused(0.25 * (process + 1));
  part.set_seconds_written(0.5);
  // Named so that the order of arrival is not that of the names.
  part.add_files()->set_name("model-" + std::to_string(9 - process));
  return message;
}

HostMessage HeldMessage(std::int64_t step) {
  HostMessage message;
  message.mutable_held()->set_step(step);
  return message;
}

void Report(PodScript& pod, std::int64_t first, std::int64_t last) {
  for (std::int64_t step = first; step <= last; ++step)
    for (int host = 0; host < kHosts; ++host)
      pod.Send(host / 2, StepMessage(host, step));
}

TEST(MembershipSavingTest, ACheckpointIsCommittedOnceAllPartsAreThere) {
  PodScript pod(SavingPlan());
  pod.Run();
  Report(pod, 1, 4);
  pod.Send(1, PartMessage(1, 4));
  EXPECT_TRUE(pod.commits.empty());
  pod.Send(0, PartMessage(0, 4));
  ASSERT_EQ(pod.commits.size(), 1);
  const CheckpointManifest& manifest = pod.commits[0];
  EXPECT_EQ(manifest.step(), 4);
  EXPECT_EQ(manifest.examples_consumed(), 4 * 32);
  EXPECT_EQ(manifest.plan_hash(), "plan");
  EXPECT_EQ(manifest.files(0).name(), "model-8");
  EXPECT_EQ(manifest.files(1).name(), "model-9");
  ASSERT_EQ(manifest.stints_size(), 1);
  EXPECT_EQ(manifest.stints(0).end_example(), 128);
  EXPECT_TRUE(pod.events(JobEvent::kSaved).empty());
  pod.Committed(4, absl::OkStatus());
  const auto saved = pod.events(JobEvent::kSaved);
  ASSERT_EQ(saved.size(), 1);
  EXPECT_EQ(saved[0].saved().step(), 4);
  EXPECT_EQ(saved[0].saved().bytes(), 1234);
  EXPECT_EQ(saved[0].saved().seconds_paused(), 0.5);
}

HostMessage SkipMessage(std::int64_t step) {
  HostMessage message;
  message.mutable_checkpoint()->set_step(step);
  message.mutable_checkpoint()->set_skipped(true);
  return message;
}

TEST(MembershipSavingTest, AStepThatSomeSkippedIsNoCheckpoint) {
  PodScript pod(SavingPlan());
  pod.Run();
  Report(pod, 1, 6);
  pod.Send(0, PartMessage(0, 2));
  pod.Send(1, SkipMessage(4));
  pod.Send(0, PartMessage(0, 4));
  const auto skipped = pod.events(JobEvent::kSkipped);
  ASSERT_EQ(skipped.size(), 1);
  EXPECT_EQ(skipped[0].skipped().step(), 4);
  EXPECT_EQ(skipped[0].skipped().process().pid(), 101);
  EXPECT_TRUE(pod.commits.empty());
  // The one that was being written comes through, and later ones do.
  pod.Send(1, PartMessage(1, 2));
  for (int p = 0; p < kProcesses; ++p) pod.Send(p, PartMessage(p, 6));
  ASSERT_EQ(pod.commits.size(), 2);
  EXPECT_EQ(pod.commits[0].step(), 2);
  EXPECT_EQ(pod.commits[1].step(), 6);
}

TEST(MembershipSavingTest, AJobWaitsForNoSkippedStep) {
  PodScript pod(SavingPlan());
  pod.Run();
  Report(pod, 1, kSteps);
  for (int p = 0; p < kProcesses; ++p) {
    pod.Send(p, SkipMessage(4));
    pod.Send(p, PartMessage(p, kSteps));
    pod.Send(p, DoneMessage("same"));
  }
  EXPECT_EQ(pod.events(JobEvent::kSkipped).size(), 1);
  pod.Committed(kSteps, absl::OkStatus());
  EXPECT_EQ(pod.machine().state(), PodState::kDone);
}

TEST(MembershipSavingTest, TheJobIsDoneOnlyWhenItsLastCheckpointIs) {
  PodScript pod(SavingPlan());
  pod.Run();
  Report(pod, 1, kSteps);
  for (int p = 0; p < kProcesses; ++p) {
    pod.Send(p, PartMessage(p, kSteps));
    pod.Send(p, DoneMessage("same"));
  }
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
  pod.Committed(kSteps, absl::OkStatus());
  EXPECT_EQ(pod.machine().state(), PodState::kDone);
  EXPECT_FALSE(pod.events(JobEvent::kDone)[0].done().drained());
}

TEST(MembershipSavingTest, ACommitThatFailsEndsTheJobWithItsReason) {
  PodScript pod(SavingPlan());
  pod.Run();
  Report(pod, 1, 4);
  for (int p = 0; p < kProcesses; ++p) pod.Send(p, PartMessage(p, 4));
  pod.Committed(4, absl::ResourceExhaustedError("No space left on device"));
  pod.CloseAll();
  EXPECT_THAT(pod.failed().message(),
              HasSubstr("checkpoint of step 4: No space left on device"));
  EXPECT_EQ(pod.failed().code(),
            static_cast<int>(absl::StatusCode::kResourceExhausted));
}

// As when the machine was stopped for as long: whoever took the model_dir
// meanwhile is told by the commit that fails.
TEST(MembershipSavingTest, OurOwnStandstillIsNoCommitThatHangs) {
  PodScript pod(SavingPlan());
  pod.Run();
  Report(pod, 1, 4);
  for (int p = 0; p < kProcesses; ++p) pod.Send(p, PartMessage(p, 4));
  pod.StandStill(absl::Minutes(10));
  pod.Tick();
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
  pod.Committed(4, absl::FailedPreconditionError("taken over by pid 7"));
  pod.CloseAll();
  EXPECT_THAT(pod.failed().message(), HasSubstr("taken over by pid 7"));
}

TEST(MembershipSavingTest, StatesThatDifferAreNotSaved) {
  PodScript pod(SavingPlan());
  pod.Run();
  Report(pod, 1, 4);
  pod.Send(0, PartMessage(0, 4));
  HostMessage odd = PartMessage(1, 4);
  odd.mutable_checkpoint()->set_state_hash(99);
  pod.Send(1, odd);
  EXPECT_TRUE(pod.commits.empty());
  pod.CloseAll();
  EXPECT_EQ(pod.failed().code(), static_cast<int>(absl::StatusCode::kDataLoss));
  EXPECT_EQ(pod.failed().process(), 1);
  EXPECT_THAT(pod.failed().message(), HasSubstr("00000063"));
}

TEST(MembershipSavingTest, ACommitThatHangsIsGivenUp) {
  PodScript pod(SavingPlan());
  pod.Run();
  Report(pod, 1, 4);
  for (int p = 0; p < kProcesses; ++p) pod.Send(p, PartMessage(p, 4));
  pod.Pass(absl::Seconds(29), {0, 1}, {0, 1});
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
  pod.Pass(absl::Seconds(2), {0, 1}, {0, 1});
  EXPECT_EQ(pod.machine().state(), PodState::kFailed);
  EXPECT_THAT(pod.machine().failure().message(), HasSubstr("/model"));
}

// They are made one after the other: those behind wait for the first.
TEST(MembershipSavingTest, CommitsThatWaitForOthersDoNotHang) {
  PodScript pod(SavingPlan());
  pod.Run();
  Report(pod, 1, 4);
  for (int p = 0; p < kProcesses; ++p) pod.Send(p, PartMessage(p, 3));
  for (int p = 0; p < kProcesses; ++p) pod.Send(p, PartMessage(p, 4));
  pod.Pass(absl::Seconds(25), {0, 1}, {0, 1});
  pod.Committed(3, absl::OkStatus());
  pod.Pass(absl::Seconds(25), {0, 1}, {0, 1});
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
  pod.Pass(absl::Seconds(6), {0, 1}, {0, 1});
  EXPECT_EQ(pod.machine().state(), PodState::kFailed);
  EXPECT_THAT(pod.machine().failure().message(), HasSubstr("of step 4 was"));
}

TEST(MembershipSavingTest, WhoWaitsForCommitsIsToldWithinTwoSeconds) {
  PodScript pod(SavingPlan());
  pod.Run();
  Report(pod, 1, kSteps);
  for (const int step : {5, kSteps})
    for (int p = 0; p < kProcesses; ++p) pod.Send(p, PartMessage(p, step));
  for (int p = 0; p < kProcesses; ++p) pod.Send(p, DoneMessage("same"));
  const auto told = [&] { return pod.events(JobEvent::kWaiting); };
  const std::size_t before = told().size();
  pod.Pass(absl::Seconds(2), {0, 1}, {0, 1});
  ASSERT_EQ(told().size(), before + 1);
  EXPECT_EQ(told().back().waiting().uncommitted(), 2);
  EXPECT_NEAR(told().back().waiting().seconds_left(), 28.5, 0.11);
  pod.Committed(5, absl::OkStatus());
  pod.Pass(absl::Seconds(10), {0, 1}, {0, 1});
  ASSERT_EQ(told().size(), before + 2);
  EXPECT_EQ(told().back().waiting().uncommitted(), 1);
  pod.Committed(kSteps, absl::OkStatus());
  EXPECT_EQ(pod.machine().state(), PodState::kDone);
}

TEST(MembershipSavingTest, PartsOutOfTurnAreAViolation) {
  for (const int step : {0, -3, kSteps + 1}) {
    PodScript pod(SavingPlan());
    pod.Run();
    pod.Send(0, PartMessage(0, step));
    EXPECT_EQ(pod.machine().state(), PodState::kFailed) << step;
  }
  PodScript twice(SavingPlan());
  twice.Run();
  Report(twice, 1, 4);
  twice.Send(0, PartMessage(0, 4));
  twice.Send(0, PartMessage(0, 4));
  EXPECT_EQ(twice.machine().state(), PodState::kFailed);
  PodScript without(TestPlan(kHosts, kProcesses, kSteps));
  without.Run();
  without.Send(0, PartMessage(0, 1));
  EXPECT_EQ(without.machine().state(), PodState::kFailed);
}

TEST(MembershipSavingTest, TheClockChoosesTheLastStepThatAnyHasBegun) {
  JobPlan plan = SavingPlan();
  plan.mutable_spec()->set_checkpoint_every_seconds(20);
  PodScript pod(plan);
  pod.Run();
  Report(pod, 1, 2);
  pod.Pass(absl::Seconds(19), {0, 1}, {0, 1});
  EXPECT_EQ(pod.sent(0, CoordinatorMessage::kHold), 0);
  pod.Pass(absl::Seconds(2), {0, 1}, {0, 1});
  EXPECT_EQ(pod.sent(0, CoordinatorMessage::kHold), 1);
  EXPECT_EQ(pod.sent(1, CoordinatorMessage::kHold), 1);
  pod.Send(0, HeldMessage(3));
  EXPECT_EQ(pod.sent(0, CoordinatorMessage::kGo), 0);
  pod.Send(1, HeldMessage(4));
  for (int p = 0; p < kProcesses; ++p) {
    const CoordinatorMessage go = pod.last(p, CoordinatorMessage::kGo);
    EXPECT_EQ(go.go().step(), 4);
    EXPECT_FALSE(go.go().end());
  }
  // Not again while the checkpoint is on its way.
  Report(pod, 3, 4);
  pod.Send(0, PartMessage(0, 4));
  pod.Pass(absl::Seconds(29), {0, 1}, {0, 1});
  EXPECT_EQ(pod.sent(0, CoordinatorMessage::kHold), 1);
}

TEST(MembershipSavingTest, ADrainEndsTheJobAfterAStepOfAll) {
  PodScript pod(SavingPlan());
  pod.Run();
  Report(pod, 1, 2);
  pod.Drain("SIGTERM");
  pod.Send(0, HeldMessage(3));
  pod.Send(1, HeldMessage(3));
  EXPECT_TRUE(pod.last(1, CoordinatorMessage::kGo).go().end());
  Report(pod, 3, 3);
  for (int p = 0; p < kProcesses; ++p) {
    pod.Send(p, PartMessage(p, 3));
    pod.Send(p, DoneMessage("same"));
  }
  pod.Committed(3, absl::OkStatus());
  ASSERT_EQ(pod.machine().state(), PodState::kDone);
  const JobDone done = pod.events(JobEvent::kDone)[0].done();
  EXPECT_TRUE(done.drained());
  EXPECT_EQ(done.steps(), 3);
  EXPECT_EQ(done.examples(), 96);
}

TEST(MembershipSavingTest, ADrainInTheLastStepIsAnOrdinaryEnd) {
  PodScript pod(SavingPlan());
  pod.Run();
  Report(pod, 1, kSteps - 1);
  pod.Drain("SIGTERM");
  pod.Send(0, HeldMessage(kSteps));
  pod.Send(1, HeldMessage(kSteps + 1));  // has passed its last step
  EXPECT_EQ(pod.last(0, CoordinatorMessage::kGo).go().step(), kSteps);
  Report(pod, kSteps, kSteps);
  for (int p = 0; p < kProcesses; ++p) {
    pod.Send(p, PartMessage(p, kSteps));
    pod.Send(p, DoneMessage("same"));
  }
  pod.Committed(kSteps, absl::OkStatus());
  EXPECT_FALSE(pod.events(JobEvent::kDone)[0].done().drained());
}

TEST(MembershipSavingTest, ADrainWithoutCheckpointsFinishesTheStepToo) {
  PodScript pod(TestPlan(kHosts, kProcesses, kSteps));
  pod.Run();
  Report(pod, 1, 2);
  pod.Drain("SIGTERM");
  pod.Send(0, HeldMessage(3));
  pod.Send(1, HeldMessage(2));
  EXPECT_EQ(pod.last(0, CoordinatorMessage::kGo).go().step(), 3);
  EXPECT_TRUE(pod.last(0, CoordinatorMessage::kGo).go().end());
  Report(pod, 3, 3);
  for (int p = 0; p < kProcesses; ++p) pod.Send(p, DoneMessage("same"));
  ASSERT_EQ(pod.machine().state(), PodState::kDone);
  EXPECT_TRUE(pod.events(JobEvent::kDone)[0].done().drained());
  EXPECT_EQ(pod.events(JobEvent::kDone)[0].done().steps(), 3);
}

TEST(MembershipSavingTest, ADrainOfAFormedPodComesAfterItsFirstStep) {
  PodScript pod(TestPlan(kHosts, kProcesses, kSteps));
  pod.JoinAll();
  pod.Drain("SIGTERM");
  EXPECT_EQ(pod.machine().state(), PodState::kForming);
  EXPECT_EQ(pod.sent(0, CoordinatorMessage::kHold), 0);
  for (int p = 0; p < kProcesses; ++p) pod.Send(p, ReadyMessage());
  for (int p = 0; p < kProcesses; ++p) {
    EXPECT_EQ(pod.sent(p, CoordinatorMessage::kHold), 1);
    pod.Send(p, HeldMessage(0));  // none has begun a step
  }
  EXPECT_EQ(pod.last(1, CoordinatorMessage::kGo).go().step(), 1);
  Report(pod, 1, 1);
  for (int p = 0; p < kProcesses; ++p) pod.Send(p, DoneMessage("same"));
  ASSERT_EQ(pod.machine().state(), PodState::kDone);
  EXPECT_EQ(pod.events(JobEvent::kDone)[0].done().steps(), 1);
}

TEST(MembershipSavingTest, ADrainStopsWhatHasNoStepToFinish) {
  PodScript forming(SavingPlan());
  ASSERT_TRUE(forming.Join(JoinOf(0)).ok());
  forming.Drain("told to");
  EXPECT_EQ(forming.machine().state(), PodState::kFailed);
  JobPlan eval = SavingPlan();
  eval.mutable_spec()->set_mode(words::Mode::eval);
  for (const JobPlan& plan : {eval, BenchTestPlan(kHosts, kProcesses)}) {
    PodScript pod(plan);
    pod.Run();
    pod.Drain("told to");
    EXPECT_EQ(pod.machine().state(), PodState::kFailed);
    EXPECT_EQ(pod.machine().failure().code(), absl::StatusCode::kCancelled);
  }
}

TEST(MembershipSavingTest, HeldWithoutHoldIsAViolation) {
  PodScript pod(SavingPlan());
  pod.Run();
  pod.Send(0, HeldMessage(1));
  EXPECT_EQ(pod.machine().state(), PodState::kFailed);
}

TEST(MembershipSavingTest, FaultsAreNotedAndShown) {
  JobPlan plan = SavingPlan();
  plan.add_faults()->set_kind(Fault::KILL);
  PodScript pod(plan);
  pod.Run();
  HostMessage fault;
  fault.mutable_fault()->set_index(0);
  fault.mutable_fault()->set_step(3);
  pod.Send(1, fault);
  EXPECT_EQ(pod.sent(1, CoordinatorMessage::kFaultNoted), 1);
  ASSERT_EQ(pod.events(JobEvent::kFault).size(), 1);
  EXPECT_EQ(pod.events(JobEvent::kFault)[0].fault().step(), 3);
  fault.mutable_fault()->set_index(1);
  pod.Send(1, fault);
  EXPECT_EQ(pod.machine().state(), PodState::kFailed);
}

}  // namespace
}  // namespace podsim
