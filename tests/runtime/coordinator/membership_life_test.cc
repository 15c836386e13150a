// What the coordinator's log says now and then of where the job is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "job/placement.h"
#include "tests/runtime/coordinator/pod_script.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::BenchTestPlan;
using ::podsim::testing::IsOk;
using ::podsim::testing::JoinOf;
using ::podsim::testing::PodScript;
using ::podsim::testing::ReadyMessage;
using ::podsim::testing::StepMessage;
using ::podsim::testing::TestPlan;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LifeTest, TellsEveryFiveSecondsHowFarTheJobIs) {
  PodScript pod(TestPlan(/*hosts=*/4, /*processes=*/2, /*steps=*/9));
  pod.Run();
  for (const int host : {0, 1, 3, 2}) {
    pod.Send(ProcessOf(pod.plan(), host), StepMessage(host, 1));
  }
  pod.Send(0, StepMessage(0, 2));  // not yet a step of all
  pod.logged.clear();
  pod.Pass(absl::Milliseconds(4900), {0, 1}, {0, 1});
  EXPECT_THAT(pod.logged, IsEmpty());
  pod.Pass(absl::Milliseconds(100), {0, 1}, {0, 1});
  const std::string line =
      "step 1 of 9, 32 examples, 4 of 4 hosts answering, last to report host 2";
  EXPECT_THAT(pod.logged, ElementsAre(line));
  pod.Pass(absl::Seconds(5), {0, 1}, {0, 1});
  EXPECT_THAT(pod.logged, ElementsAre(line, line));
}

TEST(LifeTest, NamesWhoIsSilent) {
  PodScript pod(TestPlan(4, 2, 9));
  pod.Run();
  pod.logged.clear();
  pod.Pass(absl::Seconds(3), {0, 1}, {0, 1});  // its last beat after 2.9 s
  pod.Pass(absl::Seconds(2), {0}, {0});
  EXPECT_THAT(pod.logged,
              ElementsAre("step 0 of 9, 0 examples, 2 of 4 hosts answering "
                          "(hosts 2-3 silent for 2.1s)"));
}

TEST(LifeTest, ABenchmarkHasNoSteps) {
  PodScript pod(BenchTestPlan(2, 2));
  pod.Run();
  pod.logged.clear();
  pod.Pass(absl::Seconds(5), {0, 1}, {0, 1});
  EXPECT_THAT(pod.logged, ElementsAre("benchmark, 2 of 2 hosts answering"));
}

TEST(LifeTest, WhileThePodFormsItSaysForWhom) {
  PodScript pod(TestPlan(3, 3, 1));
  EXPECT_THAT(pod.Join(JoinOf(0)), IsOk());
  pod.logged.clear();
  pod.Pass(absl::Seconds(5));
  EXPECT_THAT(pod.logged,
              ElementsAre("forming: 1 of 3 processes have joined; waiting for "
                          "process 1, 2"));
  for (const int p : {1, 2}) EXPECT_THAT(pod.Join(JoinOf(p)), IsOk());
  pod.Send(2, ReadyMessage());
  pod.logged.clear();
  pod.Pass(absl::Seconds(5));
  EXPECT_THAT(pod.logged,
              ElementsAre("forming: 1 of 3 processes are ready; waiting for "
                          "process 0, 1"));
}

TEST(LifeTest, WhatHasEndedIsNowhere) {
  PodScript pod(TestPlan(2, 2, 1));
  pod.Run();
  pod.Stop("told to end");
  pod.logged.clear();
  pod.Pass(absl::Seconds(20));
  EXPECT_THAT(pod.logged, IsEmpty());
}

}  // namespace
}  // namespace podsim
