// What a job takes on the pod besides its steps, worked out by hand.
#include "runtime/forecast/evaluation_forecast.h"

#include <gtest/gtest.h>

#include "models/zoo/zoo.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

// 80.7 s and 0.123 s a chip; no other generation has a published line.
TEST(StartUpOf, IsALineInTheNumberOfChips) {
  const auto seconds_of = [](const char* name) {
    return StartUpOf(*FindSlice(name)).seconds();
  };
  EXPECT_NEAR(seconds_of("v3-32"), 82.668, 1e-9);     // 16 chips
  EXPECT_NEAR(seconds_of("v3-2048"), 206.652, 1e-9);  // 1,024
}

Program Evaluated() {
  ModelConfig config;
  config.set_name("mlp");
  config.add_example_shape(64);
  config.set_classes(10);
  config.add_hidden(256);
  auto program = BuildProgram(config, {.bucket_bytes = 1 << 20});
  EXPECT_THAT(program, testing::IsOk());
  return *std::move(program);
}

// A step's fixed cost of 5 ms, 1 ms for each kernel, and nothing else.
Slice OfFixedCosts() {
  Slice slice = *FindSlice("v3-8");
  ChipFigures& figures = slice.figures;
  figures.step_seconds = 5e-3;
  figures.kernel_seconds = 1e-3;
  for (double ChipFigures::*rate :
       {&ChipFigures::matrix_flops, &ChipFigures::hbm_bytes_per_second,
        &ChipFigures::clock_hz})
    figures.*rate = 1e30;
  return slice;
}

JobPlan EvaluatingPlan(std::int64_t examples, std::int64_t rows) {
  JobPlan plan;
  plan.set_train_steps(100);
  plan.mutable_spec()->set_steps_per_eval(40);
  plan.set_eval_batch_per_core(rows);
  plan.mutable_bits()->mutable_dataset()->set_eval_examples(examples);
  return plan;
}

// A pass is three kernels: the hidden layer, the logits, the loss with its
// metrics; 5 + 3 x 1 ms. It takes 8 cores x 4 examples, 400 so take 13 passes,
// the last of them half full. 100 steps are evaluated after 40, 80 and 100.
TEST(ForecastEvaluations, ThirteenPassesByHand) {
  const Program program = Evaluated();
  const Slice slice = OfFixedCosts();
  const auto seconds_of = [&](const JobPlan& plan) {
    return ForecastEvaluations(plan, program, slice);
  };
  JobPlan plan = EvaluatingPlan(400, 4);
  EXPECT_NEAR(seconds_of(plan), 3 * 13 * 8e-3, 1e-9);
  EXPECT_NEAR(seconds_of(EvaluatingPlan(416, 4)), 3 * 13 * 8e-3, 1e-9);
  EXPECT_NEAR(seconds_of(EvaluatingPlan(417, 4)), 3 * 14 * 8e-3, 1e-9);
  plan.mutable_spec()->set_steps_per_eval(0);  // at the end alone
  EXPECT_NEAR(seconds_of(plan), 13 * 8e-3, 1e-9);
  EXPECT_EQ(seconds_of(EvaluatingPlan(0, 4)), 0);
}

}  // namespace
}  // namespace podsim
