// What ends a pod in virtual time: loss, silence, standstill.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/runtime/coordinator/pod_script.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::BeatMessage;
using ::podsim::testing::DoneMessage;
using ::podsim::testing::PodScript;
using ::podsim::testing::StepMessage;
using ::podsim::testing::TestPlan;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

}  // namespace
}  // namespace podsim
