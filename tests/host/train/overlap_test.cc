// Buckets travel while backward goes on: with slow lines it shows, and bits do
// not change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/process/in_process_pod.h"
#include "interconnect/transport/faults/hold.h"
#include "job/phases.h"
#include "tests/host/train/test_plan.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

// Serial steps reduce when all is computed, so that their all-reduces take the
// whole latency; the others begin while the first layers' gradients are still
// to come. Nothing here measures speed: what is compared is the order.
TEST(OverlapTest, SerialStepsAreMarkedAndChangeNoBits) {
  PodSetup setup = MakeSetup({.steps = 7, .hidden = {64, 32}});
  ASSERT_OK_AND_ASSIGN(const PodResult plain, TrainInProcess(setup));
  setup.plan.mutable_spec()->set_overlap_probe(3);
  setup.plan.mutable_spec()->set_link_latency(0.001);
  ASSERT_OK_AND_ASSIGN(const PodResult probed, TrainInProcess(setup));
  EXPECT_EQ(probed.weights_hash, plain.weights_hash);
  std::vector<bool> serial;
  for (const StepReport& step : probed.steps) serial.push_back(step.serial());
  EXPECT_EQ(serial,
            (std::vector<bool>{false, false, true, false, false, true, false}));
  for (const StepReport& step : plain.steps) EXPECT_FALSE(step.serial());
}

TEST(OverlapTest, LatencyIsPaidPerStepOfTheCollective) {
  PodSetup setup = MakeSetup({.hosts = 2, .processes = 2, .steps = 2});
  setup.plan.mutable_spec()->set_link_latency(0.01);
  setup.plan.mutable_spec()->set_overlap_probe(2);
  ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
  // A ring of two takes two steps one after the other.
  EXPECT_GE(SecondsIn(result.steps[1].phases(), kReducePhase), 0.02);
}

// Host 0's half of the gradients goes to host 1, whose sum of it comes back.
TEST(OverlapTest, ASlowLinkTakesLongerAndChangesNoBits) {
  PodSetup setup = MakeSetup({.hosts = 2, .processes = 2, .steps = 2});
  ASSERT_OK_AND_ASSIGN(const PodResult sound, TrainInProcess(setup));
  SlowLink& slow = *setup.plan.mutable_slow_link();
  slow.set_rate(1e-4);
  slow.set_host(0);
  slow.set_other(1);
  ASSERT_OK_AND_ASSIGN(const PodResult held, TrainInProcess(setup));
  EXPECT_EQ(held.weights_hash, sound.weights_hash);
  std::int64_t elements = 0;
  for (const Bucket& bucket : setup.plan.bits().buckets())
    elements += bucket.count();
  const auto half = static_cast<std::size_t>(elements) / 2 * sizeof(float);
  EXPECT_GE(held.steps[1].seconds(),
            absl::ToDoubleSeconds(HoldOf(half, slow.rate())));
  // Nothing is held where the wall clock is not to show the link.
  slow.set_unseen("both chips are of host 0");
  ASSERT_OK_AND_ASSIGN(const PodResult unseen, TrainInProcess(setup));
  EXPECT_EQ(unseen.weights_hash, sound.weights_hash);
}

// Serial steps and others, several buckets, updates between their waits.
TEST(OverlapTest, PhasesAddUpToTheStepAndStepsToLessThanTheRun) {
  constexpr double kRounding = 1e-9;  // of sums of doubles
  PodSetup setup = MakeSetup({.steps = 6, .hidden = {64, 32}});
  ASSERT_GT(setup.plan.bits().buckets_size(), 1);
  setup.plan.mutable_spec()->set_overlap_probe(3);
  const SystemClock clock;
  const absl::Time begin = clock.Now();
  ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
  const double run = absl::ToDoubleSeconds(clock.Now() - begin);
  double steps = 0;
  for (const StepReport& step : result.steps) {
    SCOPED_TRACE(step.step());
    steps += step.seconds();
    EXPECT_GT(SecondsIn(step.phases(), kComputePhase), 0);
    EXPECT_NEAR(SecondsIn(step.phases(), kInputPhase) +
                    SecondsIn(step.phases(), kComputePhase) +
                    SecondsIn(step.phases(), kReducePhase) +
                    SecondsIn(step.phases(), kUpdatePhase) +
                    SecondsIn(step.phases(), kOtherPhase),
                step.seconds(), kRounding);
    // The first step has no begin that hosts share.
    EXPECT_EQ(step.seconds_until_reduce() > 0, step.step() > 1);
    EXPECT_GT(step.seconds_last_reduce(), 0);
    EXPECT_LE(step.seconds_until_reduce() + step.seconds_last_reduce(),
              step.seconds() + kRounding);
  }
  EXPECT_GT(steps, 0);
  EXPECT_LT(steps, run);
}

}  // namespace
}  // namespace podsim::testing
