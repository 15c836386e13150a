// What a pod does in virtual time while its coordinator looks for the start.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/coordinator/pod_script.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::JoinOf;
using ::podsim::testing::PodScript;
using ::podsim::testing::TestPlan;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr auto kLooking = CoordinatorMessage::kLooking;

TEST(LookingTest, WhoJoinsBeforeTheStartIsKnownIsToldAndWaits) {
  PodScript pod(TestPlan(2, 2, 3), /*begins=*/false);
  ASSERT_THAT(pod.Join(JoinOf(0)), IsOk());
  EXPECT_EQ(pod.last(0, kLooking).looking().what(), "checkpoints in m");
  ASSERT_THAT(pod.Join(JoinOf(1)), IsOk());
  EXPECT_THAT(pod.events(JobEvent::kFormed), IsEmpty());
  pod.Begin();
  EXPECT_THAT(pod.events(JobEvent::kFormed), SizeIs(1));
  for (const int p : {0, 1}) {
    EXPECT_EQ(pod.last(p, kLooking).looking().what(), "");
    const auto assigned = pod.last(p, CoordinatorMessage::kAssignment);
    EXPECT_EQ(assigned.assignment().start().last_step(), 3);
    EXPECT_EQ(assigned.assignment().stamp(), 77);
    EXPECT_FALSE(assigned.assignment().keeps_trace());
  }
}

TEST(LookingTest, ALongLookIsToldOfWithinTwoSeconds) {
  PodScript pod(TestPlan(1, 1, 3), /*begins=*/false);
  pod.Pass(absl::Seconds(1));
  EXPECT_THAT(pod.events(JobEvent::kWaiting), IsEmpty());
  pod.Pass(absl::Seconds(1));
  const auto told = pod.events(JobEvent::kWaiting);
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].waiting().looking(), "checkpoints in m");
  EXPECT_NEAR(told[0].waiting().seconds_left(), 28.5, 0.2);
  pod.Pass(absl::Seconds(10));
  EXPECT_THAT(pod.events(JobEvent::kWaiting), SizeIs(2));
}

// The limit is 30 s, for the look and again for the hosts.
TEST(LookingTest, TheLimitCountsFromTheLastSignOfLife) {
  PodScript pod(TestPlan(1, 1, 3), /*begins=*/false);
  pod.Pass(absl::Seconds(29));
  pod.SignOfLife();
  pod.Pass(absl::Seconds(29));
  pod.Begin();
  pod.Pass(absl::Seconds(29));
  ASSERT_THAT(pod.Join(JoinOf(0)), IsOk());
  EXPECT_THAT(pod.events(JobEvent::kFormed), SizeIs(1));
}

TEST(LookingTest, EachSignOfLifeReachesTheHostsThatWait) {
  PodScript pod(TestPlan(2, 2, 3), /*begins=*/false);
  ASSERT_THAT(pod.Join(JoinOf(1)), IsOk());
  pod.SignOfLife();
  pod.SignOfLife();
  EXPECT_EQ(pod.sent(1, kLooking), 3);
  EXPECT_EQ(pod.sent(0, kLooking), 0);
}

TEST(LookingTest, WithoutAnySignTheJobFailsAndMayBeTriedAgain) {
  PodScript pod(TestPlan(1, 1, 3), /*begins=*/false);
  ASSERT_THAT(pod.Join(JoinOf(0)), IsOk());
  pod.Pass(absl::Seconds(31), {0});
  pod.CloseAll();
  EXPECT_EQ(pod.failed().message(),
            "the coordinator looks for checkpoints in m, and has had no answer "
            "for 30s; --initialization_timeout raises the limit");
  EXPECT_FALSE(pod.failed().refused());
  pod.Begin();  // too late
  EXPECT_EQ(pod.machine().state(), PodState::kFailed);
}

TEST(LookingTest, AStartThatIsRefusedEndsTheJobForAll) {
  PodScript pod(TestPlan(2, 2, 3), /*begins=*/false);
  ASSERT_THAT(pod.Join(JoinOf(0)), IsOk());
  pod.Refuse(absl::DataLossError("no checkpoint in m is whole"));
  EXPECT_EQ(pod.last(0, CoordinatorMessage::kAbort).abort().reason(),
            "the job failed: no checkpoint in m is whole");
  pod.CloseAll();
  EXPECT_EQ(pod.failed().message(), "no checkpoint in m is whole");
  EXPECT_EQ(pod.failed().host(), -1);
  EXPECT_TRUE(pod.failed().refused());
}

TEST(LookingTest, AStopEndsTheLookForAll) {
  PodScript pod(TestPlan(2, 2, 3), /*begins=*/false);
  ASSERT_THAT(pod.Join(JoinOf(0)), IsOk());
  pod.Stop("told to end");
  EXPECT_EQ(pod.sent(0, CoordinatorMessage::kAbort), 1);
  pod.CloseAll();
  EXPECT_EQ(pod.failed().message(), "told to end");
}

}  // namespace
}  // namespace podsim
