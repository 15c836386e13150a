#include "runtime/tensorboard/scalars.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "job/metrics.h"
#include "job/phases.h"
#include "tests/job/set_metric.h"
#include "tests/runtime/tensorboard/values.h"

namespace podsim {
namespace {

using ::podsim::testing::ScalarsOf;
using ::podsim::testing::SetMean;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

StepDone FullStep() {
  StepDone step;
  step.set_step(7);
  SetMean(step, kLossMetric, 3, 4);
  SetMean(step, kAccuracyMetric, 2, 4);
  MetricSum& norm = *step.add_metrics();
  norm.set_name("norm");
  norm.set_combine(MetricSum::MAXIMUM);
  norm.set_total(8);
  step.set_learning_rate(0.25);
  step.set_examples_per_second(512);
  step.set_seconds(0.5);
  AddSeconds(kInputPhase, 0.0625, *step.mutable_phases());
  AddSeconds(kComputePhase, 0.25, *step.mutable_phases());
  AddSeconds(kReducePhase, 0.125, *step.mutable_phases());
  AddSeconds(kUpdatePhase, 0.03125, *step.mutable_phases());
  AddSeconds(kOtherPhase, 0.03125, *step.mutable_phases());
  return step;
}

// As the tensorboard package serializes Event(wall_time=2, step=7,
// summary={tag: "a", simple_value: 1}).
TEST(ScalarsTest, HaveTensorBoardsOwnBytes) {
  tensorboard::Event event = EventAt(7, 2);
  AddScalar("a", 1, event);
  EXPECT_EQ(absl::BytesToHexString(event.SerializeAsString()),
            "09000000000000004010072a0a0a080a0161150000803f");
}

TEST(ScalarsTest, OfAStepOnThisMachine) {
  const tensorboard::Event event =
      WallStepEvent(FullStep(), 1e9, {.examples = 256, .model_flops = 4e12});
  EXPECT_EQ(event.step(), 7);
  EXPECT_EQ(event.wall_time(), 1e9);
  EXPECT_THAT(ScalarsOf(event),
              UnorderedElementsAre(
                  Pair("loss", 0.75F), Pair("learning/loss", 0.75F),
                  Pair("learning/accuracy", 0.5F), Pair("learning/norm", 8),
                  Pair("learning/current_learning_rate", 0.25F),
                  Pair("perf/step_time_seconds", 0.5F),
                  Pair("perf/examples_per_second", 512),
                  Pair("perf/per_device_tflops_per_sec", 8),
                  Pair("phases/input_seconds", 0.0625F),
                  Pair("phases/compute_seconds", 0.25F),
                  Pair("phases/reduce_seconds", 0.125F),
                  Pair("phases/update_seconds", 0.03125F),
                  Pair("phases/other_seconds", 0.03125F)));
}

TEST(ScalarsTest, HaveAPhaseThatNobodyKnowsByItsName) {
  StepDone step = FullStep();
  AddSeconds({"infeed", "infeed"}, 0.5, *step.mutable_phases());
  EXPECT_THAT(ScalarsOf(WallStepEvent(step, 1e9, {})),
              ::testing::Contains(Pair("phases/infeed_seconds", 0.5F)));
}

TEST(ScalarsTest, OfAStepOnThePod) {
  const auto micro = [](std::int64_t count) {
    return SimTime::Picoseconds(count * 1'000'000);
  };
  const PodTime pod = {.step = micro(250'000),
                       .sum = micro(1'000'000),
                       .parts = {.input = micro(0),
                                 .compute = micro(125'000),
                                 .reduce = micro(62'500),
                                 .update = micro(31'250),
                                 .fixed = micro(31'250)}};
  const tensorboard::Event event =
      SimStepEvent(FullStep(), pod, 1e9 + 1, {.examples = 256});
  EXPECT_EQ(event.step(), 7);
  EXPECT_EQ(event.wall_time(), 1e9 + 1);
  EXPECT_THAT(ScalarsOf(event),
              UnorderedElementsAre(Pair("loss", 0.75F),
                                   Pair("perf/step_time_seconds", 0.25F),
                                   Pair("perf/examples_per_second", 1024),
                                   Pair("phases/input_seconds", 0),
                                   Pair("phases/compute_seconds", 0.125F),
                                   Pair("phases/reduce_seconds", 0.0625F),
                                   Pair("phases/update_seconds", 0.03125F),
                                   Pair("phases/fixed_seconds", 0.03125F)));
}

TEST(ScalarsTest, OfAnEvaluation) {
  EvalDone eval;
  eval.set_step(9);
  SetMean(eval, kLossMetric, 1, 2);
  SetMean(eval, kAccuracyMetric, 9, 12);
  const tensorboard::Event event = EvalEvent(eval, 3);
  EXPECT_EQ(event.step(), 9);
  EXPECT_THAT(ScalarsOf(event),
              UnorderedElementsAre(Pair("eval/loss", 0.5F),
                                   Pair("eval/accuracy", 0.75F)));
}

}  // namespace
}  // namespace podsim
