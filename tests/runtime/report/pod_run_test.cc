// What a run would have taken on the pod, by hand.
#include "runtime/report/pod_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/text_layout.h"

namespace podsim {
namespace {

SimTime Milliseconds(std::int64_t count) {
  return SimTime::Picoseconds(count * 1'000'000'000);
}

std::string Untied(std::string text) {
  std::replace(text.begin(), text.end(), kTie, ' ');
  return text;
}

// 10 steps of 100 ms, of a job of 20.
RunSummary HalfARun() {
  RunSummary summary;
  summary.steps_made = 10;
  summary.forecast = JobForecast{.step = {.total = Milliseconds(100)},
                                 .steps = 20,
                                 .chips = 4,
                                 .start_up = SimTime::Seconds(60),
                                 .evaluation_seconds = 8};
  summary.forecast->saves = SaveForecast{.wait_seconds = 2};
  summary.pod = {.input = Milliseconds(50),
                 .compute = Milliseconds(700),
                 .reduce = Milliseconds(246),
                 .update = Milliseconds(4)};
  return summary;
}

TEST(PodRunTest, IsTheStepsWithStartUpEvaluationsAndCheckpoints) {
  const RunSummary summary = HalfARun();
  const auto run = PodRunOf(summary);
  ASSERT_TRUE(run.has_value());
  EXPECT_DOUBLE_EQ(run->start_up, 60);
  EXPECT_DOUBLE_EQ(run->steps, 1);
  EXPECT_DOUBLE_EQ(run->evaluation, 4);
  EXPECT_DOUBLE_EQ(run->checkpoints, 1);
  EXPECT_DOUBLE_EQ(run->seconds(), 66);
  EXPECT_DOUBLE_EQ(run->chip_hours, 66.0 * 4 / 3600);
  EXPECT_DOUBLE_EQ(run->input, 0.05);
  EXPECT_FALSE(run->mfu.has_value());
  EXPECT_EQ(Untied(PodRunText(*run, summary, /*verbose=*/false)),
            "66 s sim: start-up 60 s, steps 1 s, evaluation 4 s, checkpoints 1 "
            "s");
}

// A host that stands still at the last checkpoint delays no step.
TEST(PodRunTest, TheLastCheckpointsDelayIsOfCheckpoints) {
  RunSummary summary = HalfARun();
  summary.pod.checkpoint = SimTime::Seconds(3);
  const auto run = PodRunOf(summary);
  ASSERT_TRUE(run.has_value());
  EXPECT_DOUBLE_EQ(run->steps, 1);
  EXPECT_DOUBLE_EQ(run->checkpoints, 4);
}

TEST(PodRunTest, WithoutAForecastOrAStepThereIsNone) {
  RunSummary summary = HalfARun();
  summary.pod = {};
  EXPECT_FALSE(PodRunOf(summary).has_value());
  summary = HalfARun();
  summary.forecast.reset();
  EXPECT_FALSE(PodRunOf(summary).has_value());
}

// Steps made again are more than the job's; its evaluations are no more.
TEST(PodRunTest, ARestartTakesAStartUpMore) {
  RunSummary summary = HalfARun();
  summary.restarts = 1;
  summary.steps_made = 30;
  const auto run = PodRunOf(summary);
  ASSERT_TRUE(run.has_value());
  EXPECT_DOUBLE_EQ(run->start_up, 120);
  EXPECT_DOUBLE_EQ(run->evaluation, 8);
}

TEST(PodRunTest, PhasesAreSharesOfTheSteps) {
  EXPECT_EQ(Untied(PodPhasesText(HalfARun(), /*verbose=*/false)),
            "input 5%, compute 70%, all-reduce 25%");
  EXPECT_EQ(Untied(PodPhasesText(HalfARun(), /*verbose=*/true)),
            "input 5 ms (5%), compute 70 ms (70%), exposed all-reduce 24.6 ms "
            "(25%), update 400 us (0%)");
}

}  // namespace
}  // namespace podsim
