// Whom a failed pod names, in virtual time: the first cause, not its echoes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/coordinator/pod_script.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::FailureMessage;
using ::podsim::testing::PodScript;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TestPlan;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

// Busy machines: the reason comes long after the hang-up was told.
TEST(RootCauseTest, AHangUpWaitsForItsReason) {
  PodScript pod(TestPlan(3, 3, 9));
  pod.Run();
  pod.Send(2, FailureMessage(2, absl::StatusCode::kCancelled, "0 hung up", 0));
  pod.Pass(absl::Milliseconds(2000));
  pod.Send(0, FailureMessage(0, absl::StatusCode::kUnavailable, "lost 2", 2));
  pod.Pass(absl::Milliseconds(500));
  pod.CloseAll();
  EXPECT_EQ(pod.failed().host(), 2);
  EXPECT_THAT(pod.failed().message(), HasSubstr("lost 2"));
}

TEST(RootCauseTest, AHangUpWithoutAReasonIsTheCause) {
  PodScript pod(TestPlan(3, 3, 9));
  pod.Run();
  pod.Send(2, FailureMessage(2, absl::StatusCode::kCancelled, "0 hung up", 0));
  pod.Pass(absl::Milliseconds(2900));
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
  pod.Pass(absl::Milliseconds(200));
  pod.CloseAll();
  EXPECT_EQ(pod.failed().host(), 0);
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

}  // namespace
}  // namespace podsim
