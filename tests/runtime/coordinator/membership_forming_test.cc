// How a pod forms in virtual time: who may join, the plan, who is late.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "base/build.h"
#include "tests/runtime/coordinator/pod_script.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::BeatMessage;
using ::podsim::testing::DoneMessage;
using ::podsim::testing::FailureMessage;
using ::podsim::testing::IsOk;
using ::podsim::testing::JoinOf;
using ::podsim::testing::kTick;
using ::podsim::testing::PodScript;
using ::podsim::testing::ReadyMessage;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TestPlan;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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

TEST(FormingTest, TheLogTellsEachProcesssLife) {
  JobPlan plan = TestPlan(/*hosts=*/4, /*processes=*/2, /*steps=*/3);
  plan.set_hash("feed");
  PodScript pod(plan);
  pod.Run();
  const std::string first = "hosts 0-1 (process 0, pid 100 on box)";
  const std::string second = "hosts 2-3 (process 1, pid 101 on box)";
  EXPECT_THAT(
      pod.logged,
      ElementsAre(
          "joined: " + first + ", isa v3, frames at unix:/ici/0; 1 of 2",
          "joined: " + second + ", isa v3, frames at unix:/ici/1; 2 of 2",
          "plan feed (isa v2, generation 5) handed to " + first,
          "plan feed (isa v2, generation 5) handed to " + second,
          "ready: " + first, "ready: " + second));
  pod.logged.clear();
  pod.Send(1, FailureMessage(2, absl::StatusCode::kInternal, "no such file"));
  pod.Close(1);
  pod.Close(0);
  EXPECT_THAT(pod.logged,
              ElementsAre("failed: " + second +
                              ", step 3, all-reduce of bucket 0: no such file",
                          "left: " + second + ": it had failed",
                          "left: " + first + ": the job failed"));
}

TEST(FormingTest, TheLogTellsHowProcessesLeave) {
  PodScript done(TestPlan(/*hosts=*/1, /*processes=*/1, /*steps=*/1));
  done.Run();
  done.Train();
  done.Send(0, DoneMessage("same"));
  done.Close(0);
  EXPECT_THAT(done.logged.back(), EndsWith("): the job is done"));
  PodScript lost(TestPlan(/*hosts=*/1, /*processes=*/1, /*steps=*/1));
  lost.Run();
  lost.Close(0);
  EXPECT_THAT(lost.logged.back(),
              EndsWith("): its connection broke without a word"));
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

// The level that the draft was made for is the coordinator's machine's.
TEST(FormingTest, AnIsaBelowTheDraftsIsNotedWithWhoRunsNoMore) {
  JobPlan draft = TestPlan(2, 2, 1);
  draft.mutable_bits()->set_isa("amx");
  PodScript pod(draft);
  pod.final_plan->mutable_bits()->set_isa("v3");
  Join join = JoinOf(0);
  join.set_isa("amx");
  EXPECT_THAT(pod.Join(join), IsOk());
  EXPECT_THAT(pod.Join(JoinOf(1)), IsOk());  // v3
  const auto formed = pod.events(JobEvent::kFormed);
  ASSERT_EQ(formed.size(), 1u);
  EXPECT_THAT(formed[0].formed().notes(),
              ElementsAre(AllOf(HasSubstr("isa v3 instead of amx"),
                                HasSubstr("host 1"), HasSubstr("box"))));
}

TEST(FormingTest, TheFormedPlanIsComparedWithTheStart) {
  PodScript pod(TestPlan(2, 2, 1));
  pod.differences = std::vector<std::string>{"another slice"};
  pod.JoinAll();
  const auto formed = pod.events(JobEvent::kFormed);
  ASSERT_EQ(formed.size(), 1u);
  EXPECT_THAT(formed[0].formed().notes(), ElementsAre("another slice"));
}

TEST(FormingTest, AStartThatDoesNotFitFailsAndNamesWhoLowersIt) {
  PodScript pod(TestPlan(2, 2, 1));
  pod.differences = absl::FailedPreconditionError("trained at amx");
  Join join = JoinOf(0);
  join.set_isa("amx");
  EXPECT_THAT(pod.Join(join), IsOk());
  EXPECT_THAT(pod.Join(JoinOf(1)), IsOk());  // v3
  pod.CloseAll();
  EXPECT_EQ(pod.failed().process(), 1);
  EXPECT_THAT(pod.failed().message(),
              AllOf(HasSubstr("trained at amx"), HasSubstr("host 1"),
                    HasSubstr("no more than v3")));
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

// Nobody could join while we stood still.
TEST(FormingTest, OurOwnStandstillIsNoTimeToJoin) {
  PodScript pod(TestPlan(2, 2, 1));
  pod.Pass(absl::Seconds(20));
  pod.StandStill(absl::Seconds(60));
  pod.Pass(absl::Seconds(9));
  EXPECT_EQ(pod.machine().state(), PodState::kForming);
  pod.Pass(absl::Seconds(2));
  EXPECT_EQ(pod.machine().state(), PodState::kFailed);
}

TEST(FormingTest, NamesWhoDidNotBecomeReadyInTime) {
  PodScript pod(TestPlan(2, 2, 1));
  pod.JoinAll();
  pod.Send(0, ReadyMessage());
  pod.Pass(absl::Seconds(30), {0, 1}, {0, 1});
  EXPECT_EQ(pod.machine().state(), PodState::kForming) << "hosts know better";
  pod.Pass(absl::Seconds(3), {0, 1}, {0, 1});
  pod.CloseAll();
  EXPECT_EQ(pod.failed().process(), 1);
  EXPECT_EQ(pod.failed().pid(), 101);
  EXPECT_THAT(pod.failed().message(), HasSubstr("did not become ready"));
}

// Such a caller never becomes a process of the pod.
TEST(FormingTest, SaysWhyCallersWereTurnedAway) {
  PodScript pod(TestPlan(2, 2, 1));
  EXPECT_THAT(pod.Join(JoinOf(0)), IsOk());
  pod.machine().OnRefused(pod.now(), 2,
                          "a call from ipv4:10.0.0.7: another token");
  pod.Pass(absl::Seconds(30), {0});
  EXPECT_THAT(pod.machine().failure().ToString(),
              AllOf(HasSubstr("process 1) did not join"),
                    HasSubstr("last refused: a call from ipv4:10.0.0.7: "
                              "another token (one of 2)")));
}

// Two hosts cannot both be right about who is out of reach: the one that says
// so of another, not of itself.
TEST(FormingTest, AnAddressThatNobodyReachesIsItsOwners) {
  PodScript pod(TestPlan(3, 3, 1));
  pod.JoinAll();
  pod.Pass(absl::Seconds(30), {0, 1, 2}, {0, 1, 2});
  for (const int host : {0, 1, 2}) {
    pod.Send(host, FailureMessage(host, absl::StatusCode::kDeadlineExceeded,
                                  "not connected", host == 1 ? -1 : 1));
  }
  pod.Pass(absl::Seconds(1));
  pod.CloseAll();
  EXPECT_EQ(pod.failed().host(), 1);
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
  join.set_protocol_version(kProtocolVersion + 1);
  EXPECT_THAT(
      pod.Join(join),
      StatusIs(
          absl::StatusCode::kFailedPrecondition,
          AllOf(HasSubstr(absl::StrCat("version ", kProtocolVersion + 1)),
                HasSubstr(absl::StrCat("coordinator ", kProtocolVersion)))));
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

TEST(FormingTest, TellsWhoComesAndWhoIsMissing) {
  PodScript pod(TestPlan(4, 2, 1));
  EXPECT_THAT(pod.Join(JoinOf(1)), IsOk());
  EXPECT_THAT(pod.Join(JoinOf(0)), IsOk());
  const auto joined = pod.events(JobEvent::kJoined);
  ASSERT_EQ(joined.size(), 2u);
  EXPECT_EQ(joined[0].joined().process().process(), 1);
  EXPECT_EQ(joined[0].joined().process().first_host(), 2);
  EXPECT_EQ(joined[0].joined().joined(), 1);
  EXPECT_THAT(joined[0].joined().missing(), ElementsAre(0));
  EXPECT_EQ(joined[1].joined().joined(), 2);
  EXPECT_THAT(joined[1].joined().missing(), ElementsAre());
}

TEST(FormingTest, TellsNowAndThenWhomThePodWaitsFor) {
  PodScript pod(TestPlan(2, 2, 1));
  EXPECT_THAT(pod.Join(JoinOf(0)), IsOk());
  pod.Pass(absl::Seconds(9), {0});
  EXPECT_TRUE(pod.events(JobEvent::kWaiting).empty());
  pod.Pass(absl::Seconds(16), {0});
  const auto waiting = pod.events(JobEvent::kWaiting);
  ASSERT_EQ(waiting.size(), 2u);
  EXPECT_THAT(waiting[0].waiting().missing(), ElementsAre(1));
  EXPECT_THAT(waiting[0].waiting().unready(), IsEmpty());
  EXPECT_NEAR(waiting[0].waiting().seconds_left(), 20, 0.2);
}

TEST(FormingTest, TellsWhyOneWasTurnedAwayButNotEachTime) {
  PodScript pod(TestPlan(2, 2, 1));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(pod.Join(JoinOf(7)).ok());
  ASSERT_EQ(pod.events(JobEvent::kRefused).size(), 1u);
  const HostRefused told = pod.events(JobEvent::kRefused)[0].refused();
  EXPECT_THAT(told.reason(), HasSubstr("not in 0 ... 1"));
  EXPECT_EQ(told.count(), 1);
  // One that was not let in at all.
  pod.machine().OnRefused(pod.now(), 5, "a call without a token");
  pod.Pass(absl::Seconds(11));
  EXPECT_FALSE(pod.Join(JoinOf(7)).ok());
  const auto all = pod.events(JobEvent::kRefused);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].refused().reason(), "a call without a token");
  EXPECT_EQ(all[2].refused().count(), 9);
}

TEST(FormingTest, OfStrangersThereIsAnEnd) {
  PodScript pod(TestPlan(2, 2, 1));
  for (int i = 0; i < 1000; ++i) {
    pod.machine().OnRefused(pod.now(), 1, std::to_string(i));
  }
  pod.Tick();
  EXPECT_EQ(pod.events(JobEvent::kRefused).size(), 20u);
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

TEST(FormingTest, AMachineOfAnotherSliceIsRefusedAndItsPlaceStaysFree) {
  JobPlan plan = TestPlan(2, 2, 1);
  plan.mutable_bits()->set_slice("v3-16");
  PodScript pod(plan);
  Join join = JoinOf(1);
  join.set_accelerator_type("v3-8");
  EXPECT_THAT(pod.Join(join),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("process 1 on box: "), HasSubstr("v3-8"),
                             HasSubstr("v3-16"))));
  EXPECT_EQ(pod.machine().state(), PodState::kForming);
  EXPECT_TRUE(pod.events(JobEvent::kLeft).empty());
  join.set_accelerator_type("v3-16");
  EXPECT_THAT(pod.Join(join), IsOk());
}

TEST(FormingTest, UnknownIsaIsRefused) {
  PodScript pod(TestPlan(2, 2, 1));
  Join join = JoinOf(0);
  join.set_isa("sse9");
  EXPECT_THAT(pod.Join(join),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("sse9")));
}

// As when it is told to end: it is nobody's peer yet.
TEST(FormingTest, WhoLeavesBeforeThePodFormsLeavesItsPlaceToAnother) {
  PodScript pod(TestPlan(2, 2, 1));
  EXPECT_THAT(pod.Join(JoinOf(1)), IsOk());
  pod.Send(1, BeatMessage(0, 0, "joining"));
  pod.Close(1);
  EXPECT_THAT(pod.logged.back(),
              "host 1 (process 1, pid 101 on box) left before the pod formed: "
              "its place is free; 0 of 2");
  const auto left = pod.events(JobEvent::kLeft);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].left().process().pid(), 101);
  EXPECT_EQ(left[0].left().joined(), 0);
  EXPECT_THAT(left[0].left().missing(), ElementsAre(0, 1));
  pod.Pass(absl::Seconds(12));  // its lease has ended with it
  EXPECT_EQ(pod.machine().state(), PodState::kForming);
  Join other = JoinOf(1);
  other.set_pid(202);
  EXPECT_THAT(pod.Join(other), IsOk());
  EXPECT_THAT(pod.Join(JoinOf(0)), IsOk());
  for (const int p : {0, 1}) pod.Send(p, ReadyMessage());
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
  const auto formed = pod.events(JobEvent::kFormed);
  ASSERT_EQ(formed.size(), 1u);
  EXPECT_EQ(formed[0].formed().processes(1).pid(), 202);
}

TEST(FormingTest, WhoLeavesIsWaitedForNoLongerThanWhoNeverCame) {
  PodScript pod(TestPlan(2, 2, 1));
  EXPECT_THAT(pod.Join(JoinOf(0)), IsOk());
  EXPECT_THAT(pod.Join(JoinOf(7)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("7")));
  pod.Pass(absl::Seconds(29));
  pod.Close(0);
  pod.Pass(absl::Seconds(1));
  EXPECT_EQ(pod.machine().state(), PodState::kFailed);
  EXPECT_FALSE(pod.failed().lost());
  EXPECT_EQ(pod.failed().pid(), 0);
  EXPECT_THAT(pod.failed().message(), HasSubstr("did not join"));
}

TEST(FormingTest, AProcessThatIsLostWithThePlanInItsHandsEndsTheJob) {
  PodScript pod(TestPlan(2, 2, 1));
  pod.JoinAll();
  pod.Close(1);
  pod.CloseAll();
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

}  // namespace
}  // namespace podsim
