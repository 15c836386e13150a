// A run out of lines as pod_launch writes them.
#include "runtime/ladder/read_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kDataLoss;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kPlan[] = R"({"event":"plan","plan_hash":"abc"})"
                         "\n";
constexpr char kSummary[] =
    R"({"event":"summary","steps":4,"examples":40,"eval_loss":0.5,)"
    R"("eval_accuracy":0.9})"
    "\n";

std::string Step(int step, const std::string& loss, double seconds,
                 const std::string& sim = ",\"simulated_seconds\":0.005") {
  return absl::StrCat(R"({"event":"step","step":)", step,
                      ",\"examples\":", 10 * step, ",\"loss\":", loss,
                      ",\"seconds\":", seconds, sim, "}\n");
}

TEST(ReadRunTest, TakesLossesAndTimes) {
  const std::string text = absl::StrCat(
      kPlan, Step(1, "2.5", 0.009, ""), Step(2, "2", 0.001),
      Step(3, "1", 0.003), Step(4, "0.25", 0.002),
      R"({"event":"eval","step":4,"examples":299,"loss":0.5})", "\n", kSummary);
  ASSERT_OK_AND_ASSIGN(const RungRun run, ReadRun(text, "m.jsonl", 7));
  EXPECT_EQ(run.seed, 7u);
  EXPECT_EQ(run.plan_hash, "abc");
  EXPECT_EQ(run.steps, 4);
  EXPECT_EQ(run.examples, 40);
  EXPECT_EQ(run.failure, "");
  EXPECT_FALSE(run.not_finite);
  EXPECT_EQ(run.first_loss, 2.5);
  // The last tenth are the examples behind the 36th: those of the last step.
  EXPECT_EQ(run.last_loss, 0.25);
  EXPECT_EQ(run.eval_loss, 0.5);
  EXPECT_EQ(run.eval_accuracy, 0.9);
  EXPECT_EQ(run.sim_step_least, 0.005);
  EXPECT_EQ(run.sim_step_most, 0.005);
  // Of 1, 2, 3 and 9 ms the upper of the two in the middle.
  EXPECT_EQ(run.wall_step, 0.003);
}

TEST(ReadRunTest, TheLastTenthIsAMean) {
  std::string text = kPlan;
  for (int step = 1; step <= 20; ++step)
    text += Step(step, absl::StrCat(step), 0.001);
  text += kSummary;
  ASSERT_OK_AND_ASSIGN(const RungRun run, ReadRun(text, "m.jsonl", 0));
  EXPECT_EQ(run.last_loss, 19.5);  // of steps 19 and 20
}

TEST(ReadRunTest, AFailureIsKept) {
  const std::string text = absl::StrCat(
      kPlan, Step(1, "2.5", 0.001),
      R"({"event":"failure","how":"exited with code 1","step":2,)"
      R"("message":"loss became nan at step 2 on core 0; lower the rate"})",
      "\n");
  ASSERT_OK_AND_ASSIGN(const RungRun run, ReadRun(text, "m.jsonl", 0));
  EXPECT_EQ(run.failure, "loss became nan at step 2 on core 0; lower the rate");
  EXPECT_TRUE(run.not_finite);
  EXPECT_EQ(run.steps, 1);
  EXPECT_EQ(run.examples, 10);
  EXPECT_FALSE(run.eval_loss.has_value());
}

TEST(ReadRunTest, ALossThatIsNullIsNoNumber) {
  const std::string text =
      absl::StrCat(kPlan, Step(1, "null", 0.001), kSummary);
  ASSERT_OK_AND_ASSIGN(const RungRun run, ReadRun(text, "m.jsonl", 0));
  EXPECT_TRUE(std::isnan(run.first_loss));
  EXPECT_TRUE(std::isnan(run.last_loss));
}

TEST(ReadRunTest, WhatStopsInTheMiddleHasAFailure) {
  ASSERT_OK_AND_ASSIGN(
      const RungRun run,
      ReadRun(absl::StrCat(kPlan, Step(1, "2", 0.001)), "m.jsonl", 0));
  EXPECT_EQ(run.failure, "it ended without a summary");
}

TEST(ReadRunTest, DamageIsNamed) {
  EXPECT_THAT(
      ReadRun(absl::StrCat(kPlan, "{\"event\":\"st"), "m.jsonl", 0).status(),
      StatusIs(kDataLoss, HasSubstr("m.jsonl line 2 is damaged")));
  EXPECT_THAT(
      ReadRun("{\"event\":\"step\",\"step\":1}\n", "m.jsonl", 0).status(),
      StatusIs(kDataLoss,
               AllOf(HasSubstr("m.jsonl line 1"), HasSubstr("examples"))));
}

TEST(ReadRunTest, KnowsFailuresOfNumbers) {
  EXPECT_TRUE(IsOfNumbers("loss is infinite at step 1 on core 0"));
  EXPECT_TRUE(IsOfNumbers(
      "the gradient of dense_0/kernel is not finite at step 3 on core 1"));
  EXPECT_FALSE(IsOfNumbers("host2 was killed by signal 9 (SIGKILL)"));
}

}  // namespace
}  // namespace podsim
