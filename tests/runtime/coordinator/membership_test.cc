// The pod's state machine in virtual time: forming, running, every way to end.
#include "runtime/coordinator/membership.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/runtime/coordinator/pod_script.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::BeatMessage;
using ::podsim::testing::DoneMessage;
using ::podsim::testing::EvalMessage;
using ::podsim::testing::FailureMessage;
using ::podsim::testing::IsOk;
using ::podsim::testing::JoinOf;
using ::podsim::testing::PodScript;
using ::podsim::testing::ReadyMessage;
using ::podsim::testing::StatusIs;
using ::podsim::testing::StepMessage;
using ::podsim::testing::TestPlan;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr absl::Duration kTick = absl::Milliseconds(100);

// ---- Forming

TEST(FormingTest, AssignsOnceAllHaveJoinedAndStartsOnceAllAreReady) {
  PodScript pod(TestPlan(/*hosts=*/8, /*processes=*/2, /*steps=*/3));
  EXPECT_THAT(pod.Join(JoinOf(1)), IsOk());
  EXPECT_THAT(pod.events(JobEvent::kFormed), IsEmpty());
  EXPECT_THAT(pod.Join(JoinOf(0)), IsOk());
  const auto formed = pod.events(JobEvent::kFormed);
  ASSERT_EQ(formed.size(), 1);
  EXPECT_EQ(formed[0].wall_time(), 1000);
  EXPECT_EQ(formed[0].formed().generation(), 5);
  ASSERT_EQ(formed[0].formed().processes_size(), 2);
  const ProcessInfo& info = formed[0].formed().processes(1);
  EXPECT_EQ(info.process(), 1);
  EXPECT_EQ(info.pid(), 101);
  EXPECT_EQ(info.hostname(), "box");
  EXPECT_EQ(info.first_host(), 4);
  EXPECT_EQ(info.hosts(), 4);
  for (const int p : {0, 1}) {
    EXPECT_EQ(pod.sent(p, CoordinatorMessage::kAssignment), 1);
    EXPECT_EQ(pod.sent(p, CoordinatorMessage::kStart), 0);
  }
  pod.Send(1, ReadyMessage());
  EXPECT_EQ(pod.machine().state(), PodState::kForming);
  pod.Send(0, ReadyMessage());
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
  for (const int p : {0, 1}) {
    EXPECT_EQ(pod.sent(p, CoordinatorMessage::kStart), 1);
  }
  EXPECT_EQ(pod.events(JobEvent::kStarted).size(), 1);
}

TEST(FormingTest, PlansForTheLowestCommonIsa) {
  PodScript pod(TestPlan(3, 3, 1));
  const char* isas[] = {"v4", "v2", "v3"};
  for (int p = 0; p < 3; ++p) {
    Join join = JoinOf(p);
    join.set_isa(isas[p]);
    EXPECT_THAT(pod.Join(join), IsOk());
  }
  EXPECT_THAT(pod.isas_planned, ElementsAre("v2"));
}

TEST(FormingTest, AnIsaThatAHostCannotRunIsRefusedByName) {
  PodScript pod(TestPlan(2, 2, 1));
  pod.final_plan->mutable_bits()->set_isa("v4");
  Join join = JoinOf(0);
  join.set_isa("v4");
  EXPECT_THAT(pod.Join(join), IsOk());
  EXPECT_THAT(pod.Join(JoinOf(1)), IsOk());  // v3
  pod.CloseAll();
  EXPECT_EQ(pod.failed().process(), 1);
  EXPECT_THAT(pod.failed().message(),
              AllOf(HasSubstr("v4"), HasSubstr("v3"), HasSubstr("host 1")));
}

TEST(FormingTest, APlanThatCannotBeMadeFailsTheJob) {
  PodScript pod(TestPlan(2, 2, 1));
  pod.final_plan = absl::ResourceExhaustedError("needs 17 GiB");
  pod.JoinAll();
  EXPECT_EQ(pod.machine().state(), PodState::kFailed);
  EXPECT_EQ(pod.sent(0, CoordinatorMessage::kAbort), 1);
  pod.CloseAll();
  EXPECT_EQ(pod.failed().host(), -1);
  EXPECT_THAT(pod.failed().message(), HasSubstr("17 GiB"));
  EXPECT_THAT(pod.machine().failure(),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("17")));
}

TEST(FormingTest, APlanWithAnotherPlacementIsABug) {
  PodScript pod(TestPlan(4, 2, 1));
  pod.final_plan->set_first_host(1, 1);
  pod.JoinAll();
  EXPECT_THAT(pod.machine().failure(),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("planner")));
}

TEST(FormingTest, NamesWhoDidNotJoinInTime) {
  PodScript pod(TestPlan(8, 4, 1));
  EXPECT_THAT(pod.Join(JoinOf(0)), IsOk());
  EXPECT_THAT(pod.Join(JoinOf(2)), IsOk());
  pod.Pass(absl::Seconds(30) - kTick);
  EXPECT_EQ(pod.machine().state(), PodState::kForming);
  pod.Pass(kTick);
  EXPECT_EQ(pod.machine().state(), PodState::kFailed);
  pod.CloseAll();
  EXPECT_EQ(pod.failed().process(), 1);
  EXPECT_EQ(pod.failed().host(), 2);
  EXPECT_EQ(pod.failed().pid(), 0);
  EXPECT_FALSE(pod.failed().lost());
  EXPECT_THAT(pod.failed().message(),
              AllOf(HasSubstr("hosts 2-3 (process 1)"),
                    HasSubstr("hosts 6-7 (process 3)"), HasSubstr("30s"),
                    Not(HasSubstr("process 0")), Not(HasSubstr("process 2"))));
  EXPECT_TRUE(pod.machine().ended());
}

TEST(FormingTest, NamesWhoDidNotBecomeReadyInTime) {
  PodScript pod(TestPlan(2, 2, 1));
  pod.JoinAll();
  pod.Send(0, ReadyMessage());
  pod.Pass(absl::Seconds(30), {0, 1}, {0, 1});
  pod.CloseAll();
  EXPECT_EQ(pod.failed().process(), 1);
  EXPECT_EQ(pod.failed().pid(), 101);
  EXPECT_THAT(pod.failed().message(), HasSubstr("did not become ready"));
}

TEST(FormingTest, ALateJoinIsToldThatTheJobHasEnded) {
  PodScript pod(TestPlan(2, 2, 1));
  pod.Pass(absl::Seconds(31));
  EXPECT_THAT(pod.Join(JoinOf(0)),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("ended")));
}

TEST(FormingTest, OtherProtocolVersionIsRefusedWithBoth) {
  PodScript pod(TestPlan(2, 2, 1));
  Join join = JoinOf(0);
  join.set_protocol_version(3);
  EXPECT_THAT(pod.Join(join),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("version 3"), HasSubstr("coordinator "
                                                               "2"))));
  EXPECT_THAT(pod.Join(JoinOf(0)), IsOk());  // the place is still free
}

TEST(FormingTest, OtherBuildIsRefusedWithBothAndRemembered) {
  PodScript pod(TestPlan(2, 2, 1));
  Join join = JoinOf(0);
  join.set_build_id("elsewhere");
  EXPECT_THAT(pod.Join(join),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("elsewhere"), HasSubstr("\"build\""))));
  pod.Pass(absl::Seconds(30));
  EXPECT_THAT(pod.machine().failure().ToString(),
              HasSubstr("last refused: process 0 is of build \"elsewhere\""));
}

TEST(FormingTest, WrongAndTakenIndicesAreRefused) {
  PodScript pod(TestPlan(4, 2, 1));
  for (const int bad : {-1, 2, 99}) {
    EXPECT_THAT(
        pod.Join(JoinOf(bad)),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 AllOf(HasSubstr(std::to_string(bad)), HasSubstr("0 ... 1"))));
  }
  EXPECT_THAT(pod.Join(JoinOf(1)), IsOk());
  EXPECT_THAT(pod.Join(JoinOf(1)),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("pid 101")));
}

TEST(FormingTest, UnknownIsaIsRefused) {
  PodScript pod(TestPlan(2, 2, 1));
  Join join = JoinOf(0);
  join.set_isa("sse9");
  EXPECT_THAT(pod.Join(join),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("sse9")));
}

TEST(FormingTest, ALostProcessEndsTheJob) {
  PodScript pod(TestPlan(2, 2, 1));
  EXPECT_THAT(pod.Join(JoinOf(1)), IsOk());
  pod.Close(1);
  EXPECT_TRUE(pod.failed().lost());
  EXPECT_EQ(pod.failed().process(), 1);
  EXPECT_TRUE(pod.machine().ended());
}

TEST(FormingTest, TheLeaseBeginsWithTheFirstBeat) {
  PodScript pod(TestPlan(2, 2, 1));
  EXPECT_THAT(pod.Join(JoinOf(1)), IsOk());
  pod.Pass(absl::Seconds(20));
  EXPECT_EQ(pod.machine().state(), PodState::kForming);
  pod.Send(1, BeatMessage(0, 0, "joining"));
  pod.Pass(absl::Seconds(5));
  EXPECT_EQ(pod.machine().state(), PodState::kFailed);
  EXPECT_THAT(pod.machine().failure().ToString(), HasSubstr("no heartbeat"));
}

// ---- Running to the end

TEST(RunningTest, ReportsAreMergedAndDoneEndsIt) {
  PodScript pod(TestPlan(4, 2, 3));
  pod.Run();
  pod.Train();
  const auto steps = pod.events(JobEvent::kStep);
  ASSERT_EQ(steps.size(), 3);
  EXPECT_EQ(steps[2].step().step(), 3);
  EXPECT_EQ(steps[2].step().examples(), 96);
  EXPECT_EQ(steps[2].step().learning_rate(), 0.5);
  for (int h = 0; h < 4; ++h) pod.Send(h / 2, EvalMessage(h, 3));
  ASSERT_EQ(pod.events(JobEvent::kEval).size(), 1);
  EXPECT_EQ(pod.events(JobEvent::kEval)[0].eval().accuracy(), 0.8);

  pod.Send(1, DoneMessage("abc"));
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
  pod.Send(0, DoneMessage("abc"));
  EXPECT_EQ(pod.machine().state(), PodState::kDone);
  EXPECT_FALSE(pod.machine().ended());
  const auto done = pod.events(JobEvent::kDone);
  ASSERT_EQ(done.size(), 1);
  EXPECT_EQ(done[0].done().weights_hash(), "abc");
  EXPECT_EQ(done[0].done().steps(), 3);
  EXPECT_EQ(done[0].done().examples(), 96);
  for (const int p : {0, 1}) {
    EXPECT_EQ(pod.sent(p, CoordinatorMessage::kFinish), 1);
    EXPECT_EQ(pod.sent(p, CoordinatorMessage::kAbort), 0);
  }
  pod.Close(0);
  EXPECT_FALSE(pod.machine().ended());
  pod.Close(1);
  EXPECT_TRUE(pod.machine().ended());
  EXPECT_THAT(pod.machine().failure(), IsOk());
}

TEST(RunningTest, AFinishedPodDoesNotWaitForEverForStreams) {
  PodScript pod(TestPlan(2, 2, 1));
  pod.Run();
  pod.Train();
  pod.Send(0, DoneMessage("x"));
  pod.Send(1, DoneMessage("x"));
  pod.Pass(absl::Seconds(3) - kTick);
  EXPECT_FALSE(pod.machine().ended());
  pod.Pass(kTick);
  EXPECT_TRUE(pod.machine().ended());
  EXPECT_THAT(pod.machine().failure(), IsOk());
}

TEST(RunningTest, DifferentGradientsFailNamingHostAndStep) {
  PodScript pod(TestPlan(3, 3, 2));
  pod.Run();
  pod.Send(0, StepMessage(0, 1, 11));
  pod.Send(1, StepMessage(1, 1, 22));
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
  pod.Send(2, StepMessage(2, 1, 11));
  pod.CloseAll();
  EXPECT_EQ(pod.failed().process(), 1);
  EXPECT_EQ(pod.failed().host(), 1);
  EXPECT_EQ(pod.failed().step(), 1);
  EXPECT_THAT(pod.events(JobEvent::kStep), IsEmpty());
  EXPECT_THAT(pod.machine().failure(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("bit for bit")));
}

TEST(RunningTest, DifferentWeightsFailNamingTheProcess) {
  PodScript pod(TestPlan(3, 3, 1));
  pod.Run();
  pod.Train();
  pod.Send(0, DoneMessage("same"));
  pod.Send(1, DoneMessage("same"));
  pod.Send(2, DoneMessage("odd"));
  pod.CloseAll();
  EXPECT_EQ(pod.failed().process(), 2);
  EXPECT_EQ(pod.failed().step(), 1);
  EXPECT_THAT(pod.failed().message(),
              AllOf(HasSubstr("odd"), HasSubstr("same")));
  EXPECT_THAT(pod.events(JobEvent::kDone), IsEmpty());
  EXPECT_EQ(pod.sent(0, CoordinatorMessage::kFinish), 0);
}

// ---- Loss, silence, standstill

TEST(FailureTest, ALostProcessIsKnownAtOnce) {
  PodScript pod(TestPlan(8, 4, 9));
  pod.Run();
  pod.Send(2, BeatMessage(5, 4, "compute"));
  pod.Close(2);
  EXPECT_EQ(pod.machine().state(), PodState::kFailed);
  for (const int p : {0, 1, 3}) {
    EXPECT_EQ(pod.sent(p, CoordinatorMessage::kAbort), 1);
  }
  EXPECT_EQ(pod.sent(2, CoordinatorMessage::kAbort), 0);
  pod.CloseAll();
  EXPECT_TRUE(pod.failed().lost());
  EXPECT_EQ(pod.failed().host(), 4);
  EXPECT_EQ(pod.failed().process(), 2);
  EXPECT_EQ(pod.failed().pid(), 102);
  EXPECT_EQ(pod.failed().step(), 4);
  EXPECT_EQ(pod.failed().phase(), "compute");
  EXPECT_THAT(pod.failed().message(), HasSubstr("hosts 4-5 (process 2, pid "
                                                "102 on box) was lost"));
}

TEST(FailureTest, LossAfterDoneIsStillALoss) {
  PodScript pod(TestPlan(2, 2, 1));
  pod.Run();
  pod.Train();
  pod.Send(0, DoneMessage("x"));
  pod.Close(0);
  pod.CloseAll();
  EXPECT_TRUE(pod.failed().lost());
}

TEST(FailureTest, TheEventWaitsAMomentForTheOthers) {
  PodScript pod(TestPlan(2, 2, 1));
  pod.Run();
  pod.Close(0);
  EXPECT_THAT(pod.events(JobEvent::kFailed), IsEmpty());
  pod.Pass(absl::Milliseconds(500), {1});
  EXPECT_EQ(pod.events(JobEvent::kFailed).size(), 1);
  EXPECT_FALSE(pod.machine().ended());
  pod.Pass(absl::Milliseconds(2500), {1});
  EXPECT_TRUE(pod.machine().ended());
}

TEST(FailureTest, SilenceEndsTheLease) {
  PodScript pod(TestPlan(3, 3, 9));
  pod.Run();
  pod.Pass(absl::Seconds(3), {0, 1, 2}, {0, 1, 2});
  pod.Pass(absl::Seconds(4.8), {0, 2}, {0, 2});
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
  pod.Pass(absl::Seconds(0.3), {0, 2}, {0, 2});
  EXPECT_EQ(pod.machine().state(), PodState::kFailed);
  pod.Close(0);
  EXPECT_FALSE(pod.machine().ended());
  pod.Close(2);
  EXPECT_TRUE(pod.machine().ended());  // the silent one will not answer
  EXPECT_EQ(pod.failed().process(), 1);
  EXPECT_EQ(pod.failed().step(), 3);
  EXPECT_THAT(pod.failed().message(),
              AllOf(HasSubstr("no heartbeat for 5"), HasSubstr("step 3")));
}

TEST(FailureTest, InADeadlockEveryHostSaysWhatItWaitsForAndOneIsNamed) {
  PodScript pod(TestPlan(4, 4, 9));
  pod.Run();
  // A ring 0 > 1 > 2 > 3 > 0; host 1 has lost a frame for host 2.
  const double seconds[] = {1.5, 1.0, 2.1, 1.8};
  for (int beat = 0; beat < 30; ++beat) {
    for (int host = 0; host < 4; ++host) {
      HostMessage message = BeatMessage(7, 103, "all-reduce of bucket 3");
      WaitReport& waiting = *message.mutable_heartbeat()->mutable_waiting();
      waiting.set_host((host + 3) % 4);
      waiting.set_what(absl::StrCat("host ", (host + 3) % 4,
                                    " has not sent chunk 5 of all-reduce #412 "
                                    "(bucket 3, dense_1/kernel)"));
      waiting.set_seconds(seconds[host] + 0.5 * beat);
      pod.Send(host, message);
    }
    pod.Pass(absl::Milliseconds(500));
  }
  EXPECT_EQ(pod.machine().state(), PodState::kFailed);
  pod.CloseAll();
  const JobFailed failed = pod.failed();
  EXPECT_EQ(failed.host(), 1);
  EXPECT_THAT(failed.message(), AllOf(HasSubstr("waits for another"),
                                      HasSubstr("first of all for host 1")));
  ASSERT_EQ(failed.others_size(), 4);
  EXPECT_THAT(
      failed.others(2),
      AllOf(HasSubstr("host 2"),
            HasSubstr("host 1 has not sent chunk 5 of all-reduce #412 (bucket "
                      "3, dense_1/kernel), step 103, since 12")));
}

TEST(FailureTest, AWaitForAHostThatDoesNotExistIsNotBelieved) {
  PodScript pod(TestPlan(2, 2, 9));
  pod.Run();
  for (const int host : {-5, 2, 1 << 30}) {
    HostMessage message = BeatMessage(7, 1, "all-reduce");
    message.mutable_heartbeat()->mutable_waiting()->set_host(host);
    message.mutable_heartbeat()->mutable_waiting()->set_seconds(-1e300);
    pod.Send(0, message);
  }
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
}

TEST(FailureTest, BeatsWithoutProgressAreAFreeze) {
  PodScript pod(TestPlan(3, 3, 9));
  pod.Run();
  pod.phase_of = {{0, "all-reduce of bucket 0"},
                  {1, "compute"},
                  {2, "all-reduce of bucket 1"}};
  // Host 1 stands still; the others soon wait for it.
  pod.Pass(absl::Seconds(1), {0, 1, 2}, {0, 1, 2});
  pod.Pass(absl::Seconds(9.8), {0, 1, 2});
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
  pod.Pass(absl::Seconds(0.4), {0, 1, 2});
  pod.CloseAll();
  EXPECT_EQ(pod.failed().process(), 1);
  EXPECT_EQ(pod.failed().host(), 1);
  EXPECT_EQ(pod.failed().phase(), "compute");
  EXPECT_THAT(pod.failed().message(),
              AllOf(HasSubstr("frozen"), HasSubstr("step 3, compute"),
                    HasSubstr("--stall_timeout")));
}

TEST(FailureTest, ASlowHostThatMovesMayTakeMinutes) {
  PodScript pod(TestPlan(2, 2, 9));
  pod.Run();
  pod.phase_of = {{0, "all-reduce of bucket 0"}};
  pod.Pass(absl::Minutes(5), {0, 1}, {1});
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
}

TEST(FailureTest, StepReportsCountAsProgress) {
  PodScript pod(TestPlan(1, 1, 9));
  pod.Run();
  for (int step = 1; step <= 3; ++step) {
    pod.Pass(absl::Seconds(6), {0});
    pod.Send(0, StepMessage(0, step));
  }
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
}

TEST(FailureTest, WhoIsDoneNeedNotMove) {
  PodScript pod(TestPlan(2, 2, 1));
  pod.Run();
  pod.Train();
  pod.Send(0, DoneMessage("x"));
  pod.Pass(absl::Minutes(1), {0, 1}, {1});
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
}

TEST(FailureTest, OurOwnStandstillIsNobodysFault) {
  PodScript pod(TestPlan(2, 2, 9));
  pod.Run();
  pod.Pass(absl::Seconds(1), {0, 1}, {0, 1});
  pod.machine().OnTick(pod.now() + absl::Hours(1));
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
  // From then on the leases run as ever.
  pod.machine().OnTick(pod.now() + absl::Hours(1) + absl::Seconds(2));
  pod.machine().OnTick(pod.now() + absl::Hours(1) + absl::Seconds(4));
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
  pod.machine().OnTick(pod.now() + absl::Hours(1) + absl::Seconds(6));
  EXPECT_EQ(pod.machine().state(), PodState::kFailed);
}

// ---- Who was first

TEST(RootCauseTest, ADirectFailureDecidesAtOnce) {
  PodScript pod(TestPlan(4, 2, 9));
  pod.Run();
  pod.Send(1, FailureMessage(3, absl::StatusCode::kInvalidArgument,
                             "loss became nan"));
  EXPECT_EQ(pod.machine().state(), PodState::kFailed);
  EXPECT_EQ(pod.sent(0, CoordinatorMessage::kAbort), 1);
  EXPECT_EQ(pod.sent(1, CoordinatorMessage::kAbort), 0);
  pod.CloseAll();
  const JobFailed failed = pod.failed();
  EXPECT_EQ(failed.host(), 3);
  EXPECT_EQ(failed.process(), 1);
  EXPECT_EQ(failed.step(), 3);
  EXPECT_EQ(failed.phase(), "all-reduce of bucket 0");
  EXPECT_EQ(failed.message(), "loss became nan");
  EXPECT_FALSE(failed.lost());
  EXPECT_THAT(failed.others(), IsEmpty());
  EXPECT_THAT(pod.machine().failure(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("nan")));
}

TEST(RootCauseTest, TheLostPeerIsTheCauseAndNotWhoMissedIt) {
  PodScript pod(TestPlan(4, 4, 9));
  pod.Run();
  // Host 2 dies; 1 notices, leaves, and 0 then misses 1.
  pod.Send(1, FailureMessage(1, absl::StatusCode::kUnavailable, "lost 2", 2));
  pod.Close(1);
  pod.Send(0, FailureMessage(0, absl::StatusCode::kUnavailable, "lost 1", 1));
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
  pod.Pass(absl::Milliseconds(300));
  pod.Close(2);
  EXPECT_EQ(pod.machine().state(), PodState::kFailed);
  EXPECT_EQ(pod.sent(3, CoordinatorMessage::kAbort), 1);
  pod.CloseAll();
  const JobFailed failed = pod.failed();
  EXPECT_EQ(failed.process(), 2);
  EXPECT_TRUE(failed.lost());
  ASSERT_EQ(failed.others_size(), 2);
  EXPECT_THAT(failed.others(0),
              AllOf(HasSubstr("host 1"), HasSubstr("step 3"),
                    HasSubstr("all-reduce of bucket 0"), HasSubstr("lost 2")));
  EXPECT_THAT(failed.others(1), HasSubstr("lost 1"));
}

TEST(RootCauseTest, ADirectFailureBeatsASuspicion) {
  PodScript pod(TestPlan(3, 3, 9));
  pod.Run();
  pod.Send(0, FailureMessage(0, absl::StatusCode::kUnavailable, "lost 1", 1));
  pod.Pass(absl::Milliseconds(200));
  pod.Send(1, FailureMessage(1, absl::StatusCode::kDataLoss, "bad checksum"));
  pod.CloseAll();
  EXPECT_EQ(pod.failed().process(), 1);
  EXPECT_EQ(pod.failed().message(), "bad checksum");
  ASSERT_EQ(pod.failed().others_size(), 1);
  EXPECT_THAT(pod.failed().others(0), HasSubstr("lost 1"));
}

TEST(RootCauseTest, ASuspicionStandsWhenNothingStrongerComes) {
  PodScript pod(TestPlan(3, 3, 9));
  pod.Run();
  pod.Send(0, FailureMessage(0, absl::StatusCode::kUnavailable, "lost 2", 2));
  pod.Pass(absl::Milliseconds(400));
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
  pod.Pass(absl::Milliseconds(100));
  EXPECT_EQ(pod.machine().state(), PodState::kFailed);
  pod.CloseAll();
  EXPECT_EQ(pod.failed().host(), 2);
  EXPECT_EQ(pod.failed().process(), 2);
  EXPECT_FALSE(pod.failed().lost());
  EXPECT_THAT(pod.failed().message(),
              AllOf(HasSubstr("host 0"), HasSubstr("for want of host 2"),
                    HasSubstr("lost 2")));
  EXPECT_THAT(pod.failed().others(), IsEmpty());
}

TEST(RootCauseTest, WhomMostAccuseIsTheCauseAndNotWhomOneDoes) {
  PodScript pod(TestPlan(4, 4, 9));
  pod.Run();
  // Host 2 is cut off from its peers: it misses 1, both its neighbours miss it.
  pod.Send(2, FailureMessage(2, absl::StatusCode::kUnavailable, "lost 1", 1));
  pod.Send(1, FailureMessage(1, absl::StatusCode::kUnavailable, "lost 2", 2));
  pod.Pass(absl::Milliseconds(200));
  pod.Send(3, FailureMessage(3, absl::StatusCode::kUnavailable, "lost 2", 2));
  pod.Pass(absl::Milliseconds(300));
  pod.CloseAll();
  EXPECT_EQ(pod.failed().host(), 2);
  EXPECT_THAT(pod.failed().message(), HasSubstr("lost 2"));
}

TEST(RootCauseTest, WhoDoesNotAnswerIsTheCauseAndNotWhoHungUp) {
  PodScript pod(TestPlan(3, 3, 9));
  pod.Run();
  // Host 0 cannot reach host 2 and hangs up on it, which host 2 tells first.
  pod.Send(2, FailureMessage(2, absl::StatusCode::kCancelled, "0 hung up", 0));
  pod.Send(0, FailureMessage(0, absl::StatusCode::kUnavailable, "lost 2", 2));
  pod.Pass(absl::Milliseconds(500));
  pod.CloseAll();
  EXPECT_EQ(pod.failed().host(), 2);
  EXPECT_THAT(pod.failed().message(), HasSubstr("lost 2"));
}

TEST(RootCauseTest, UnavailableWithoutBlameWaitsTooAndThenCounts) {
  PodScript pod(TestPlan(2, 2, 9));
  pod.JoinAll();
  pod.Send(0, FailureMessage(0, absl::StatusCode::kUnavailable, "no peer"));
  EXPECT_EQ(pod.machine().state(), PodState::kForming);
  pod.Close(0);
  pod.Pass(absl::Milliseconds(500));
  pod.CloseAll();
  EXPECT_EQ(pod.failed().process(), 0);
  EXPECT_EQ(pod.failed().message(), "no peer");
}

TEST(RootCauseTest, BlamingOneselfIsADirectFailure) {
  PodScript pod(TestPlan(4, 2, 9));
  pod.Run();
  pod.Send(1, FailureMessage(2, absl::StatusCode::kInternal, "oops", 3));
  EXPECT_EQ(pod.machine().state(), PodState::kFailed);
  pod.CloseAll();
  EXPECT_EQ(pod.failed().process(), 1);
}

TEST(RootCauseTest, LaterFailuresAreTheOthersAndEchoesAreNot) {
  PodScript pod(TestPlan(4, 4, 9));
  pod.Run();
  pod.Close(3);
  pod.Send(0, FailureMessage(0, absl::StatusCode::kUnavailable, "lost 3", 3));
  pod.Send(1, FailureMessage(1, absl::StatusCode::kAborted, "aborted"));
  pod.Send(2, FailureMessage(2, absl::StatusCode::kCancelled, "cancelled"));
  pod.CloseAll();
  EXPECT_EQ(pod.failed().process(), 3);
  ASSERT_EQ(pod.failed().others_size(), 1);
  EXPECT_THAT(pod.failed().others(0), HasSubstr("lost 3"));
}

TEST(RootCauseTest, OkIsNoFailureCode) {
  PodScript pod(TestPlan(2, 2, 9));
  pod.Run();
  pod.Send(0, FailureMessage(0, absl::StatusCode::kOk, "odd"));
  EXPECT_THAT(pod.machine().failure(),
              StatusIs(absl::StatusCode::kUnknown, HasSubstr("odd")));
}

TEST(RootCauseTest, StopIsNobodysFault) {
  PodScript pod(TestPlan(2, 2, 9));
  pod.Run();
  pod.Stop("SIGTERM");
  for (const int p : {0, 1}) {
    EXPECT_EQ(pod.sent(p, CoordinatorMessage::kAbort), 1);
  }
  pod.CloseAll();
  EXPECT_EQ(pod.failed().host(), -1);
  EXPECT_EQ(pod.failed().process(), -1);
  EXPECT_EQ(pod.failed().message(), "SIGTERM");
  EXPECT_TRUE(pod.machine().ended());
}

// ---- Messages out of turn

struct Misuse {
  const char* name;
  HostMessage message;
};

class ViolationTest : public ::testing::TestWithParam<Misuse> {};

HostMessage JoinMessage() {
  HostMessage message;
  *message.mutable_join() = JoinOf(1);
  return message;
}

TEST_P(ViolationTest, WhileRunningFailsNamingTheProcess) {
  PodScript pod(TestPlan(4, 2, 2));
  pod.Run();
  pod.Send(1, GetParam().message);
  EXPECT_THAT(pod.machine().failure(),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("host")));
  pod.CloseAll();
  EXPECT_EQ(pod.failed().process(), 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, ViolationTest,
    ::testing::Values(Misuse{"SecondJoin", JoinMessage()},
                      Misuse{"SecondReady", ReadyMessage()},
                      Misuse{"Nothing", HostMessage()},
                      Misuse{"OthersStep", StepMessage(0, 1)},
                      Misuse{"NoSuchHost", StepMessage(4, 1)},
                      Misuse{"NegativeHost", StepMessage(-1, 1)},
                      Misuse{"StepLeftOut", StepMessage(2, 2)},
                      Misuse{"OthersEval", EvalMessage(1, 1)},
                      Misuse{"EvalWithoutStep", EvalMessage(2, 1)},
                      Misuse{"DoneTooSoon", DoneMessage("x")}),
    [](const auto& info) { return info.param.name; });

TEST(ViolationTest, ReportsBeforeStartAreRefused) {
  for (const HostMessage& message :
       {StepMessage(0, 1), EvalMessage(0, 1), DoneMessage("x")}) {
    PodScript pod(TestPlan(2, 2, 1));
    pod.JoinAll();
    pod.Send(0, message);
    EXPECT_THAT(pod.machine().failure(),
                StatusIs(absl::StatusCode::kInternal, HasSubstr("host 0")));
  }
}

TEST(ViolationTest, ReadyBeforeAssignmentIsRefused) {
  PodScript pod(TestPlan(2, 2, 1));
  EXPECT_THAT(pod.Join(JoinOf(0)), IsOk());
  pod.Send(0, ReadyMessage());
  EXPECT_THAT(pod.machine().failure(),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("Ready")));
}

TEST(ViolationTest, AfterTheEndMessagesAreIgnored) {
  PodScript pod(TestPlan(2, 2, 1));
  pod.Run();
  pod.Close(0);
  for (const HostMessage& message :
       {StepMessage(0, 9), ReadyMessage(), DoneMessage("x"), EvalMessage(7, 7),
        HostMessage(), BeatMessage(1, 1, "x")}) {
    pod.Send(1, message);
  }
  pod.Stop("again");
  pod.CloseAll();
  EXPECT_EQ(pod.failed().process(), 0);
  pod.Pass(absl::Seconds(10));
  EXPECT_EQ(pod.events(JobEvent::kFailed).size(), 1);
}

}  // namespace
}  // namespace podsim
