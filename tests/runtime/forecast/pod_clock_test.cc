// From events to the time of the pod.
#include "runtime/forecast/pod_clock.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

SimTime Microseconds(std::int64_t count) {
  return SimTime::Picoseconds(count * 1'000'000);
}

const SimStep kPlainStep = {.compute = Microseconds(30),
                            .update = Microseconds(10),
                            .fixed = Microseconds(5),
                            .total = Microseconds(45)};

JobEvent StepEvent(std::int64_t step) {
  JobEvent event;
  event.mutable_step()->set_step(step);
  return event;
}

// Of 100 us.
JobEvent SlowEvent(std::int64_t step, const std::string& phase) {
  JobEvent event;
  FaultStruck& struck = *event.mutable_fault();
  struck.set_step(step);
  struck.mutable_fault()->set_kind(Fault::SLOW);
  struck.mutable_fault()->set_step(step);
  struck.mutable_fault()->set_phase(phase);
  struck.mutable_fault()->set_seconds(1e-4);
  return event;
}

TEST(PodClockTest, AddsStepsUp) {
  PodClock clock;
  clock.SetStep(kPlainStep);
  EXPECT_FALSE(clock.time().has_value());
  for (int step = 1; step <= 3; ++step) clock.OnEvent(StepEvent(step));
  ASSERT_TRUE(clock.time().has_value());
  EXPECT_EQ(clock.time()->step, Microseconds(45));
  EXPECT_EQ(clock.time()->sum, Microseconds(135));
  EXPECT_EQ(clock.phases().compute, Microseconds(90));
  EXPECT_EQ(clock.phases().input, SimTime());
}

// A host that is ahead may be struck in the next step before this one is done.
TEST(PodClockTest, AFaultIsOfItsStep) {
  PodClock clock;
  clock.SetStep(kPlainStep);
  clock.OnEvent(SlowEvent(2, "compute"));
  clock.OnEvent(StepEvent(1));
  EXPECT_EQ(clock.time()->sum, Microseconds(45));
  clock.OnEvent(StepEvent(2));
  EXPECT_EQ(clock.time()->step, Microseconds(145));
  EXPECT_EQ(clock.time()->parts.compute, Microseconds(130));
  EXPECT_EQ(clock.time()->parts.total(), clock.time()->step);
  clock.OnEvent(SlowEvent(2, "checkpoint"));
  clock.OnEvent(StepEvent(3));
  EXPECT_EQ(clock.time()->step, Microseconds(145));
  EXPECT_EQ(clock.phases().reduce, Microseconds(100));
  clock.OnEvent(StepEvent(4));
  EXPECT_EQ(clock.time()->sum, Microseconds(4 * 45 + 2 * 100));
}

// No step follows it: the run ends later by the host that stands still longest.
TEST(PodClockTest, AFaultAtTheLastCheckpointIsOfTheEnd) {
  for (const bool late : {false, true}) {
    PodClock clock;
    if (!late) clock.SetStep(kPlainStep);
    clock.OnEvent(StepEvent(1));
    clock.OnEvent(SlowEvent(2, "checkpoint"));
    clock.OnEvent(SlowEvent(2, "checkpoint"));
    JobEvent other = SlowEvent(2, "checkpoint");
    other.mutable_fault()->mutable_fault()->set_host(1);
    clock.OnEvent(other);
    clock.OnEvent(StepEvent(2));
    JobEvent done;
    done.mutable_done();
    clock.OnEvent(done);
    clock.OnEvent(done);
    if (late) clock.SetStep(kPlainStep);
    EXPECT_EQ(clock.time()->sum, Microseconds(2 * 45 + 200)) << late;
    EXPECT_EQ(clock.time()->step, Microseconds(45)) << late;
    EXPECT_EQ(clock.phases().total(), Microseconds(2 * 45)) << late;
    EXPECT_EQ(clock.phases().checkpoint, Microseconds(200)) << late;
  }
}

// A time holds 106 days.
TEST(PodClockTest, RunsOfYearsAddUp) {
  const SimTime day = SimTime::Seconds(24 * 3600);
  const SimStep step = {.compute = day, .total = day};
  PodClock early;
  early.SetStep(step);
  PodClock late;
  for (PodClock* clock : {&early, &late})
    for (int i = 1; i <= 1200; ++i) clock->OnEvent(StepEvent(i));
  late.SetStep(step);
  for (const PodClock* clock : {&early, &late}) {
    EXPECT_DOUBLE_EQ(clock->time()->sum.seconds(), 1200.0 * 24 * 3600);
    EXPECT_DOUBLE_EQ(clock->phases().compute.seconds(), 1200.0 * 24 * 3600);
  }
}

TEST(PodClockTest, StepsBeforeTheForecastAreNotLost) {
  PodClock early;
  early.SetStep(kPlainStep);
  PodClock late;
  for (PodClock* clock : {&early, &late}) {
    clock->OnEvent(StepEvent(1));
    clock->OnEvent(SlowEvent(2, "input"));
    clock->OnEvent(StepEvent(2));
    clock->OnEvent(StepEvent(3));
  }
  EXPECT_FALSE(late.time().has_value());
  late.SetStep(kPlainStep);
  EXPECT_EQ(late.time()->sum, early.time()->sum);
  EXPECT_EQ(late.time()->step, Microseconds(45));
  EXPECT_EQ(late.phases().input, Microseconds(60)) << "100 beside 40";
  SimStep other = kPlainStep;
  other.total = Microseconds(1000);
  late.SetStep(other);
  late.OnEvent(StepEvent(4));
  EXPECT_EQ(late.time()->step, Microseconds(45)) << "the first one counts";
}

TEST(PodClockTest, ARestartMakesStepsAgainAndTheFaultDoesNotStrikeAgain) {
  PodClock clock;
  clock.SetStep(kPlainStep);
  clock.OnEvent(StepEvent(1));
  clock.OnEvent(SlowEvent(2, "compute"));
  JobEvent restarting;
  restarting.mutable_restarting();
  clock.OnEvent(restarting);
  clock.OnEvent(StepEvent(1));
  clock.OnEvent(StepEvent(2));
  EXPECT_EQ(clock.time()->sum, Microseconds(3 * 45));
}

}  // namespace
}  // namespace podsim
