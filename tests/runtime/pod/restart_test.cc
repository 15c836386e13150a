// How often and why a pod is started again, and with which job.
#include "runtime/pod/restart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Outcome Failed(bool recoverable) {
  Outcome outcome;
  outcome.exit_code = 137;
  outcome.failure =
      FailureReport{.name = "host2", .how = "was killed by signal 9 (SIGKILL)"};
  outcome.recoverable = recoverable;
  return outcome;
}

JobEvent Struck(int index) {
  JobEvent event;
  event.mutable_fault()->set_index(index);
  return event;
}

JobEvent SavedAt(std::int64_t step) {
  JobEvent event;
  event.mutable_saved()->set_step(step);
  return event;
}

TEST(RestartsTest, AsOftenAsAskedFor) {
  Restarts restarts(2);
  EXPECT_EQ(restarts.generation(), 1);
  for (const int left : {1, 0}) {
    const auto event = restarts.Next(Failed(true));
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(event->generation(), restarts.generation());
    EXPECT_EQ(event->restarts_left(), left);
  }
  EXPECT_EQ(restarts.generation(), 3);
  EXPECT_FALSE(restarts.Next(Failed(true)).has_value());
  EXPECT_EQ(restarts.generation(), 3);
}

TEST(RestartsTest, NeverUnlessAskedFor) {
  EXPECT_FALSE(Restarts(0).Next(Failed(true)).has_value());
}

TEST(RestartsTest, NotWhatWouldFailAgain) {
  Restarts restarts(5);
  EXPECT_FALSE(restarts.Next(Failed(false)).has_value());
  EXPECT_EQ(restarts.generation(), 1);
}

TEST(RestartsTest, NotAJobThatEndedWell) {
  EXPECT_FALSE(Restarts(5).Next(Outcome()).has_value());
  Outcome drained;
  drained.exit_code = kDrainedExitCode;
  drained.drained = true;
  EXPECT_FALSE(Restarts(5).Next(drained).has_value());
}

TEST(RestartsTest, NotAgainstTheUsersWill) {
  Outcome stopped = Failed(true);
  stopped.stop_signal = SIGINT;
  EXPECT_FALSE(Restarts(5).Next(stopped).has_value());
}

TEST(RestartsTest, AreLeftForLaterWhenOneIsNotMade) {
  Restarts restarts(1);
  EXPECT_FALSE(restarts.Next(Failed(false)).has_value());
  ASSERT_TRUE(restarts.Next(Failed(true)).has_value());
}

struct ReasonCase {
  const char* how;
  const char* message;
  const char* reason;
};

class ReasonTest : public ::testing::TestWithParam<ReasonCase> {};

TEST_P(ReasonTest, SaysWhoAndWhatInOneLine) {
  Outcome outcome = Failed(true);
  outcome.failure->how = GetParam().how;
  outcome.failure->message = GetParam().message;
  const auto event = Restarts(1).Next(outcome);
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->reason(), GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    All, ReasonTest,
    ::testing::Values(ReasonCase{"was killed by signal 9 (SIGKILL)", "",
                                 "host2 was killed by signal 9 (SIGKILL)"},
                      ReasonCase{
                          "stopped answering", "no heartbeat for 5 s",
                          "host2 stopped answering; no heartbeat for 5 s"},
                      ReasonCase{"", "host 1 has sent nothing for 10 s",
                                 "host2: host 1 has sent nothing for 10 s"},
                      ReasonCase{"", "", "host2"}));

TEST(RestartsTest, TheJobIsAsItWasAtFirst) {
  JobSpec spec;
  spec.set_model("mlp");
  spec.set_restore("/m/100");
  EXPECT_EQ(Restarts(1).SpecFor(spec).SerializeAsString(),
            spec.SerializeAsString());
}

TEST(RestartsTest, FaultsThatHaveStruckDoNotStrikeAgain) {
  Restarts restarts(3);
  JobSpec spec;
  spec.set_model("mlp");
  EXPECT_THAT(restarts.SpecFor(spec).faults_done(), IsEmpty());
  restarts.OnEvent(Struck(4));
  restarts.OnEvent(Struck(0));
  restarts.OnEvent(Struck(4));
  restarts.OnEvent(JobEvent());
  EXPECT_THAT(restarts.SpecFor(spec).faults_done(), ElementsAre(0, 4));
  ASSERT_TRUE(restarts.Next(Failed(true)).has_value());
  restarts.OnEvent(Struck(2));
  const JobSpec next = restarts.SpecFor(spec);
  EXPECT_THAT(next.faults_done(), ElementsAre(0, 2, 4)) << "of all generations";
  EXPECT_EQ(next.model(), "mlp");
}

// A host that ran less the second time would change bits without a word.
TEST(RestartsTest, TheIsaLevelStays) {
  Restarts restarts(3);
  JobEvent formed;
  formed.mutable_formed()->mutable_plan()->mutable_bits()->set_isa("amx");
  restarts.OnEvent(formed);
  EXPECT_EQ(restarts.SpecFor(JobSpec()).isa(), words::Isa::amx);
}

// Were the checkpoint of --restore begun with again, those saved since would be
// set aside.
TEST(RestartsTest, WhatWasSavedSinceIsGoneOnWith) {
  Restarts restarts(3);
  JobSpec spec;
  spec.set_model_dir("/m");
  spec.set_restore("/old/100");
  ASSERT_TRUE(restarts.Next(Failed(true)).has_value());
  EXPECT_EQ(restarts.SpecFor(spec).restore(), "/old/100") << "nothing is saved";
  restarts.OnEvent(SavedAt(150));
  ASSERT_TRUE(restarts.Next(Failed(true)).has_value());
  EXPECT_FALSE(restarts.SpecFor(spec).has_restore());
  EXPECT_EQ(restarts.SpecFor(spec).model_dir(), "/m");
}

}  // namespace
}  // namespace podsim
