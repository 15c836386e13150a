// Start-up and evaluations of a job, and how sure they are: worked by hand.
#include "runtime/forecast/evaluation_forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "chip/step.h"
#include "job/plan_program.h"
#include "models/zoo/zoo.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::PlanOf;

constexpr double kNear = 1e-9;

Generation V3() { return *FindGeneration(ShippedHardware(), "v3"); }

DoubtShare ShareOf(const DoubtedSeconds& time, const std::string& figures) {
  const auto found = std::find_if(
      time.shares.begin(), time.shares.end(),
      [&](const DoubtShare& share) { return share.figures == figures; });
  return found == time.shares.end() ? DoubtShare() : *found;
}

// 80.7 s (20 to 400) and 0.123 s (0.01 to 0.5) for each chip.
TEST(StartUpTest, IsThePublishedLineWithItsRanges) {
  const DoubtedSeconds small = StartUpOf(*FindSlice("v3-32"), V3());
  EXPECT_NEAR(small.seconds, 82.668, kNear);
  EXPECT_NEAR(ShareOf(small, "start_seconds").below, 60.7, kNear);
  EXPECT_NEAR(ShareOf(small, "start_seconds").above, 319.3, kNear);
  EXPECT_NEAR(ShareOf(small, "start_seconds_per_chip").below, 1.808, kNear);
  EXPECT_NEAR(ShareOf(small, "start_seconds_per_chip").above, 6.032, kNear);
  const DoubtedSeconds large = StartUpOf(*FindSlice("v3-2048"), V3());
  EXPECT_NEAR(large.seconds, 206.652, kNear);
  EXPECT_NEAR(ShareOf(large, "start_seconds_per_chip").above, 386.048, kNear);
}

// Whatever its grade: v3's line is derived, and of one program.
TEST(StartUpTest, AFigureWithoutARangeIsNoDoubt) {
  Generation v3 = V3();
  v3.mutable_start_seconds()->clear_low();
  v3.mutable_start_seconds()->clear_high();
  const DoubtedSeconds start = StartUpOf(*FindSlice("v3-8"), v3);
  ASSERT_EQ(start.shares.size(), 1);
  EXPECT_EQ(start.shares[0].figures, "start_seconds_per_chip");
}

// 299 examples are two passes of 8 cores x 32, every 40 of 100 steps and at
// their end: three evaluations.
class EvaluationTest : public ::testing::Test {
 protected:
  static constexpr double kPasses = 6;

  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(
        plan_, PlanOf("topology: 'v3-8' batch_per_core: 32 train_steps: 100 "
                      "learning_rate: 0.1 steps_per_eval: 40"));
    ASSERT_OK_AND_ASSIGN(program_, ProgramOf(plan_));
    ASSERT_EQ(plan_.eval_batch_per_core(), 32);
    ASSERT_EQ(plan_.bits().dataset().eval_examples(), 299);
  }

  double KernelSeconds(const ChipFigures& chip) const {
    SimTime time;
    for (const KernelTime& kernel :
         TimesOf(EvaluationOf(program_, 32, chip).program, chip))
      time += kernel.time;
    return time.seconds();
  }

  const Slice slice_ = *FindSlice("v3-8");
  JobPlan plan_;
  Program program_;
};

TEST_F(EvaluationTest, IsItsPassesEachWithTheFixedCostOfAStep) {
  ASSERT_OK_AND_ASSIGN(const DoubtedSeconds all,
                       ForecastEvaluations(plan_, program_, slice_, V3()));
  EXPECT_GT(KernelSeconds(slice_.chip()), 0);
  EXPECT_NEAR(all.seconds, kPasses * (5e-3 + KernelSeconds(slice_.chip())),
              kNear);
}

// step_seconds is 5 ms, 2 to 7.1; the compiler's figures move together.
TEST_F(EvaluationTest, HasTheDoubtsOfAStep) {
  ASSERT_OK_AND_ASSIGN(const DoubtedSeconds all,
                       ForecastEvaluations(plan_, program_, slice_, V3()));
  EXPECT_NEAR(ShareOf(all, "step_seconds").below, kPasses * 3e-3, kNear);
  EXPECT_NEAR(ShareOf(all, "step_seconds").above, kPasses * 2.1e-3, kNear);
  ChipFigures slow = slice_.chip();
  slow.matrix_share = V3().matrix_share().low();
  slow.hbm_share = V3().hbm_share().low();
  slow.kernel_seconds = V3().kernel_seconds().high();
  EXPECT_NEAR(ShareOf(all, "matrix_share+hbm_share+kernel_seconds").above,
              kPasses * (KernelSeconds(slow) - KernelSeconds(slice_.chip())),
              kNear);
}

TEST_F(EvaluationTest, NothingIsEvaluatedWithoutExamples) {
  plan_.mutable_bits()->mutable_dataset()->set_eval_examples(0);
  ASSERT_OK_AND_ASSIGN(const DoubtedSeconds all,
                       ForecastEvaluations(plan_, program_, slice_, V3()));
  EXPECT_EQ(all.seconds, 0);
  EXPECT_TRUE(all.shares.empty());
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
TEST(ForecastEvaluationsTest, ThirteenPassesByHand) {
  const Program program = Evaluated();
  const Slice slice = OfFixedCosts();
  const auto seconds_of = [&](const JobPlan& plan) {
    const auto all = ForecastEvaluations(plan, program, slice, V3());
    EXPECT_THAT(all, testing::IsOk());
    return all.ok() ? all->seconds : -1;
  };
  JobPlan plan = EvaluatingPlan(400, 4);
  EXPECT_NEAR(seconds_of(plan), 3 * 13 * 8e-3, 1e-9);
  EXPECT_NEAR(seconds_of(EvaluatingPlan(416, 4)), 3 * 13 * 8e-3, 1e-9);
  EXPECT_NEAR(seconds_of(EvaluatingPlan(417, 4)), 3 * 14 * 8e-3, 1e-9);
  plan.mutable_spec()->set_steps_per_eval(0);  // at the end alone
  EXPECT_NEAR(seconds_of(plan), 13 * 8e-3, 1e-9);
}

}  // namespace
}  // namespace podsim
