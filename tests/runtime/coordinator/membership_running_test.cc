// A pod's run in virtual time: to its end, and what is sent out of turn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/traced_steps.h"
#include "tests/job/set_metric.h"
#include "tests/runtime/coordinator/pod_script.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::BeatMessage;
using ::podsim::testing::DoneMessage;
using ::podsim::testing::EvalMessage;
using ::podsim::testing::IsOk;
using ::podsim::testing::JoinOf;
using ::podsim::testing::kTick;
using ::podsim::testing::PodScript;
using ::podsim::testing::ReadyMessage;
using ::podsim::testing::StatusIs;
using ::podsim::testing::StepMessage;
using ::podsim::testing::TestPlan;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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
  EXPECT_EQ(
      ::podsim::testing::AccuracyOf(pod.events(JobEvent::kEval)[0].eval()),
      0.8);

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

// ---- Hosts that have made their steps and write their trace

TEST(RunningTest, WhoWaitsForATraceIsToldWithinTwoSeconds) {
  PodScript pod(TestPlan(2, 2, 1));
  pod.Run();
  pod.Train();
  pod.Send(0, DoneMessage("x"));
  pod.phase_of[1] = kWritingTrace;
  const auto told = [&] { return pod.events(JobEvent::kWaiting); };
  const std::size_t before = told().size();
  pod.Pass(absl::Seconds(2), {0, 1}, {1});
  ASSERT_EQ(told().size(), before + 1);
  EXPECT_THAT(told().back().waiting().tracing(), ElementsAre(1));
  // As long as it gets on it may take its time.
  pod.Pass(absl::Minutes(2), {0, 1}, {1});
  EXPECT_EQ(pod.machine().state(), PodState::kRunning);
  EXPECT_EQ(told().size(), before + 13);
  pod.Send(1, DoneMessage("x"));
  EXPECT_EQ(pod.machine().state(), PodState::kDone);
}

TEST(RunningTest, ATraceThatDoesNotGetOnIsAFreeze) {
  PodScript pod(TestPlan(2, 2, 1));
  pod.Run();
  pod.Train();
  pod.Send(0, DoneMessage("x"));
  pod.phase_of[1] = kWritingTrace;
  pod.Pass(absl::Seconds(11), {0, 1}, {});
  pod.CloseAll();
  EXPECT_EQ(pod.failed().process(), 1);
  EXPECT_THAT(pod.failed().message(),
              AllOf(HasSubstr("is frozen"), HasSubstr("writing its trace")));
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
