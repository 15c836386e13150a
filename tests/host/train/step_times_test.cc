// Where a process's time goes: every nanosecond to one phase of one step.
#include "host/train/step_times.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace podsim {
namespace {

absl::Time At(std::int64_t nanoseconds) {
  return absl::FromUnixNanos(1'000'000'000 + nanoseconds);
}

absl::Duration Sum(const PhaseTimes& times) {
  return std::accumulate(times.phases.begin(), times.phases.end(),
                         absl::ZeroDuration());
}

TEST(StepTimesTest, EachMomentBelongsToThePhaseThatWasEnteredLast) {
  StepTimes times(At(0));
  times.Enter(StepPhase::kInput, At(1));
  times.Enter(StepPhase::kCompute, At(3));
  times.Enter(StepPhase::kReduce, At(7));
  const PhaseTimes step = times.EndStep(At(15));
  EXPECT_EQ(step.total, absl::Nanoseconds(15));
  EXPECT_EQ(step[StepPhase::kOther], absl::Nanoseconds(1));
  EXPECT_EQ(step[StepPhase::kInput], absl::Nanoseconds(2));
  EXPECT_EQ(step[StepPhase::kCompute], absl::Nanoseconds(4));
  EXPECT_EQ(step[StepPhase::kReduce], absl::Nanoseconds(8));
  EXPECT_EQ(step[StepPhase::kUpdate], absl::ZeroDuration());
}

// The gradients were there before the process looked: what it did since is its
// own doing, in the next step.
TEST(StepTimesTest, WhatCameAfterTheEndBelongsToTheNextStep) {
  StepTimes times(At(0));
  times.Enter(StepPhase::kCompute, At(0));
  times.Enter(StepPhase::kReduce, At(10));
  times.Enter(StepPhase::kUpdate, At(20));
  const PhaseTimes first = times.EndStep(At(6));
  EXPECT_EQ(first.total, absl::Nanoseconds(6));
  EXPECT_EQ(first[StepPhase::kCompute], absl::Nanoseconds(6));
  EXPECT_EQ(times.begin(), At(6));
  times.Enter(StepPhase::kInput, At(25));
  const PhaseTimes second = times.EndStep(At(27));
  EXPECT_EQ(second.total, absl::Nanoseconds(21));
  EXPECT_EQ(second[StepPhase::kCompute], absl::Nanoseconds(4));
  EXPECT_EQ(second[StepPhase::kReduce], absl::Nanoseconds(10));
  EXPECT_EQ(second[StepPhase::kUpdate], absl::Nanoseconds(5));
  EXPECT_EQ(second[StepPhase::kInput], absl::Nanoseconds(2));
}

TEST(StepTimesTest, TimeThatGoesBackCountsAsTheSameMoment) {
  StepTimes times(At(10));
  times.Enter(StepPhase::kCompute, At(5));
  times.Enter(StepPhase::kReduce, At(20));
  times.Enter(StepPhase::kUpdate, At(15));
  EXPECT_EQ(times.EndStep(At(8)).total, absl::ZeroDuration());
  const PhaseTimes step = times.EndStep(At(30));
  EXPECT_EQ(step.total, absl::Nanoseconds(20));
  EXPECT_EQ(step[StepPhase::kCompute], absl::Nanoseconds(10));
  EXPECT_EQ(step[StepPhase::kUpdate], absl::Nanoseconds(10));
}

TEST(StepTimesTest, PhasesAddUpToTheStepAndStepsToTheRunToTheNanosecond) {
  constexpr std::uint32_t kSeed = 5;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  StepTimes times(At(0));
  std::int64_t now = 0;
  absl::Duration run;
  for (int step = 0; step < 1000; ++step) {
    const std::int64_t begun = now;
    for (std::uint64_t i = random() % 9; i > 0; --i) {
      now += static_cast<std::int64_t>(random() % 3'000'000'000);
      times.Enter(static_cast<StepPhase>(random() % kStepPhases), At(now));
    }
    const auto span = static_cast<std::uint64_t>(now - begun + 2);
    const absl::Time end = std::max(
        times.begin(), At(begun + static_cast<std::int64_t>(random() % span)));
    const PhaseTimes ended = times.EndStep(end);
    ASSERT_EQ(Sum(ended), ended.total) << "step " << step;
    for (const absl::Duration phase : ended.phases)
      ASSERT_GE(phase, absl::ZeroDuration());
    run += ended.total;
    ASSERT_EQ(At(0) + run, end) << "step " << step;
  }
}

}  // namespace
}  // namespace podsim
