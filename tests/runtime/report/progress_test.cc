// Which steps are shown, and what the lines say.
#include "runtime/report/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/job/set_metric.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kBatch = 64;

StepDone MakeStep(std::int64_t number) {
  StepDone step;
  step.set_step(number);
  step.set_examples(number * kBatch);
  testing::SetLossSum(step, 0.5);
  testing::SetMean(step, kAccuracyMetric, 0.75);
  step.set_seconds(0.25);
  step.set_examples_per_second(256);
  return step;
}

absl::Time At(double seconds) {
  return absl::FromUnixSeconds(1000) + absl::Seconds(seconds);
}

TEST(FormatProgressTest, LinesHoldWhatPeopleGrep) {
  const ProgressSnapshot snapshot = {.step = 12,
                                     .train_steps = 100,
                                     .loss = 0.12345,
                                     .accuracy = 0.9635,
                                     .steps_per_second = 255.509,
                                     .examples_per_second = 261641,
                                     .left = absl::Seconds(12)};
  EXPECT_EQ(FormatPlain(snapshot),
            "step 12/100, loss: 0.1235, accuracy: 0.9635, global_step/sec: "
            "255.509, examples/sec: 261641, eta: 12s");
  EXPECT_EQ(FormatLive(snapshot, 0),
            "step 12/100  loss 0.1235  acc 96.35%  261,641 examples/s  ETA "
            "12s");
}

TEST(FormatProgressTest, LinesHaveBothClocks) {
  ProgressSnapshot snapshot = {.step = 12,
                               .train_steps = 100,
                               .loss = 0.12345,
                               .accuracy = 0.9635,
                               .steps_per_second = 255.509,
                               .examples_per_second = 261641,
                               .left = absl::Seconds(12)};
  snapshot.pod = PodTime{.step = SimTime::Picoseconds(53'100'000),
                         .sum = SimTime::Picoseconds(637'200'000)};
  EXPECT_EQ(FormatPlain(snapshot),
            "step 12/100, loss: 0.1235, accuracy: 0.9635, global_step/sec: "
            "255.509, examples/sec: 261641, sim_step: 0.0000531, sim_time: "
            "0.0006372, eta: 12s");
  EXPECT_EQ(FormatLive(snapshot, 0),
            "step 12/100  loss 0.1235  acc 96.35%  261,641 examples/s  sim "
            "53.1 us/step  ETA 12s");
  EXPECT_EQ(FormatLive(snapshot, 51),
            "step 12/100  loss 0.1235  sim 53.1 us/step  ETA 12s");
}

// A narrow screen loses everything else first.
TEST(FormatProgressTest, BothClocksStayOnANarrowTerminal) {
  const ProgressSnapshot snapshot = {
      .step = 12,
      .train_steps = 100,
      .loss = 0.12345,
      .accuracy = 0.9635,
      .examples_per_second = 261641,
      .left = absl::Seconds(12),
      .pod = PodTime{.step = SimTime::Picoseconds(53'100'000),
                     .sum = SimTime::Picoseconds(637'200'000)}};
  EXPECT_EQ(FormatLive(snapshot, 50), "step 12/100  sim 53.1 us/step  ETA 12s");
  EXPECT_EQ(FormatLive(snapshot, 38), "step 12/100  sim 53.1 us/step  ETA 12s");
  EXPECT_EQ(FormatLive(snapshot, 37), "step 12/100  sim 53.1 us/step");
  EXPECT_EQ(FormatLive(snapshot, 28), "step 12/100");
}

TEST(FormatProgressTest, SimulatedSecondsAreWrittenOut) {
  ProgressSnapshot snapshot;
  const auto step_of = [&](double seconds) {
    snapshot.pod = PodTime{SimTime::Seconds(seconds), SimTime::Seconds(12345)};
    const std::string text = FormatPlain(snapshot);
    return text.substr(text.find("sim_step"));
  };
  EXPECT_THAT(step_of(1.25e-7), HasSubstr("sim_step: 0.000000125, "));
  EXPECT_THAT(step_of(0.5), HasSubstr("sim_step: 0.5, sim_time: 12345, "));
  EXPECT_THAT(step_of(26.547), HasSubstr("sim_step: 26.55, "));
}

TEST(FormatProgressTest, ANarrowTerminalLosesTheLeastImportantFirst) {
  const ProgressSnapshot snapshot = {.step = 12,
                                     .train_steps = 100,
                                     .loss = 0.12345,
                                     .accuracy = 0.9635,
                                     .examples_per_second = 261641,
                                     .left = absl::Seconds(12)};
  EXPECT_EQ(FormatLive(snapshot, 59),
            "step 12/100  loss 0.1235  261,641 examples/s  ETA 12s");
  EXPECT_EQ(FormatLive(snapshot, 40), "step 12/100  loss 0.1235  ETA 12s");
  EXPECT_EQ(FormatLive(snapshot, 30), "step 12/100  ETA 12s");
  EXPECT_EQ(FormatLive(snapshot, 12), "step 12/100");
}

TEST(FormatProgressTest, AModelWithoutAccuracyShowsNone) {
  const ProgressSnapshot snapshot = {.step = 12, .train_steps = 100};
  EXPECT_THAT(FormatPlain(snapshot), Not(HasSubstr("acc")));
  EXPECT_THAT(FormatLive(snapshot, 0), Not(HasSubstr("acc")));
}

TEST(FormatProgressTest, LargeRatesAreWrittenOut) {
  ProgressSnapshot snapshot;
  snapshot.examples_per_second = 12345678;
  EXPECT_THAT(FormatPlain(snapshot), HasSubstr("examples/sec: 12345678,"));
  EXPECT_THAT(FormatPlain(snapshot), Not(HasSubstr("e+")));
}

TEST(FormatProgressTest, OtherMetricsFollowAccuracy) {
  ProgressMeter meter(1, absl::Seconds(3));
  StepDone step = MakeStep(1);
  testing::SetMean(step, "margin", 3, 4);
  const auto due = meter.OnStep(step, At(0));
  ASSERT_TRUE(due.has_value());
  EXPECT_THAT(FormatPlain(*due),
              HasSubstr("accuracy: 0.7500, margin: 0.7500, global_step/sec: "));
}

TEST(ProgressMeterTest, ShowsOncePerIntervalAndTheLastStep) {
  ProgressMeter meter(100, absl::Seconds(3));
  std::vector<std::int64_t> shown;
  for (std::int64_t step = 1; step <= 100; ++step) {
    const auto due =
        meter.OnStep(MakeStep(step), At(0.1 * static_cast<double>(step)));
    if (due.has_value()) shown.push_back(due->step);
  }
  // The first step is at 0.1 s; every 3 s after it, and the end.
  EXPECT_THAT(shown, ::testing::ElementsAre(31, 61, 91, 100));
}

TEST(ProgressMeterTest, RatesAreOverTheSpanSinceTheLastShown) {
  ProgressMeter meter(100, absl::Seconds(2));
  EXPECT_FALSE(meter.OnStep(MakeStep(1), At(0)).has_value());
  EXPECT_FALSE(meter.OnStep(MakeStep(2), At(1)).has_value());
  const auto due = meter.OnStep(MakeStep(11), At(2));
  ASSERT_TRUE(due.has_value());
  EXPECT_DOUBLE_EQ(due->steps_per_second, 5);
  EXPECT_DOUBLE_EQ(due->examples_per_second, 5 * kBatch);
  EXPECT_EQ(due->left, absl::Seconds(89.0 / 5));
}

TEST(ProgressMeterTest, ASingleStepUsesItsOwnFigures) {
  ProgressMeter meter(1, absl::Seconds(3));
  const auto due = meter.OnStep(MakeStep(1), At(0));
  ASSERT_TRUE(due.has_value());
  EXPECT_DOUBLE_EQ(due->steps_per_second, 4);
  EXPECT_DOUBLE_EQ(due->examples_per_second, 256);
  EXPECT_EQ(due->left, absl::ZeroDuration());
}

TEST(ProgressMeterTest, ZeroIntervalGuessesTheTimeLeftFromTheFirstStep) {
  ProgressMeter meter(5, absl::ZeroDuration());
  const auto due = meter.OnStep(MakeStep(1), At(0));
  ASSERT_TRUE(due.has_value());
  EXPECT_EQ(due->left, absl::Seconds(1));
}

}  // namespace
}  // namespace podsim
