// Learning-rate schedules and the SGD update rule.
#include <limits>
#include <set>

#include "models/optimizer/learning_rate.h"
#include "models/optimizer/sgd.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

LearningRate Schedule(double peak, std::int64_t warmup_examples) {
  LearningRate schedule;
  schedule.set_peak(peak);
  schedule.set_warmup_examples(warmup_examples);
  return schedule;
}

TEST(RateAt, HoldsWithoutWarmup) {
  EXPECT_EQ(RateAt(Schedule(0.5, 0), 0, 32), 0.5);
  EXPECT_EQ(RateAt(Schedule(0.5, 0), 1'000'000, 32), 0.5);
}

TEST(RateAt, RisesLinearlyFromTheFirstStep) {
  const LearningRate schedule = Schedule(0.8, 400);
  EXPECT_DOUBLE_EQ(RateAt(schedule, 0, 100), 0.2);
  EXPECT_DOUBLE_EQ(RateAt(schedule, 100, 100), 0.4);
  EXPECT_DOUBLE_EQ(RateAt(schedule, 200, 100), 0.6);
  EXPECT_EQ(RateAt(schedule, 300, 100), 0.8);
  EXPECT_EQ(RateAt(schedule, 400, 100), 0.8);
}

TEST(RateAt, DependsOnExamplesNotOnSteps) {
  const LearningRate schedule = Schedule(1, 1000);
  // The same number of examples done: the same rate, however it was cut.
  EXPECT_DOUBLE_EQ(RateAt(schedule, 300, 100), RateAt(schedule, 0, 400));
}

TEST(RateAt, ABatchLargerThanTheWarmupRunsAtThePeak) {
  EXPECT_EQ(RateAt(Schedule(1, 10), 0, 4096), 1);
}

absl::StatusOr<Program> Build(const CompileOptions& options) {
  Graph g("toy");
  const Value w = g.Variable("w", {{3, 2}}, Initializer::kGlorotUniform);
  const Value b = g.Variable("b", {{2}}, Initializer::kZeros);
  const Value logits = g.AddBias(g.MatMul(g.Features({{3}}), w), b);
  const auto head = g.SoftmaxXent(logits, g.Labels());
  return Compile(g, {.loss = head.loss, .weights = g.Weights(), .update = Sgd},
                 options);
}

TEST(Sgd, UpdatesTheVariablesOfEachBucket) {
  ASSERT_OK_AND_ASSIGN(const Program program,
                       Build({.momentum = 0.9, .bucket_bytes = 1}));
  const auto& update = program.entries.at(EntryPoint::kUpdate);
  ASSERT_EQ(update.size(), program.buckets.size());
  ASSERT_EQ(update.size(), 2U);
  for (std::size_t i = 0; i < update.size(); ++i) {
    const GradientBucket& bucket = program.buckets[i];
    ASSERT_EQ(update[i].instructions.size(), bucket.variables.size());
    const Instruction& step = update[i].instructions[0];
    EXPECT_EQ(step.op, OpCode::kSgdMomentum);
    EXPECT_FLOAT_EQ(step.attributes.momentum, 0.9F);
    EXPECT_EQ(step.inputs[0], bucket.gradients[0]);
    EXPECT_EQ(step.inputs[2], bucket.variables[0]);
    EXPECT_EQ(step.outputs[1], bucket.variables[0]);
    const ProgramTensor& slot = program.tensor(step.outputs[0]);
    EXPECT_EQ(slot.name,
              program.tensor(bucket.variables[0]).name + "/momentum");
  }
}

TEST(Sgd, WithoutMomentumHasNoSlots) {
  ASSERT_OK_AND_ASSIGN(const Program program, Build({.momentum = 0}));
  EXPECT_EQ(program.variables.size(), 2U);
  EXPECT_EQ(program.variable_elements, 6 + 2);
  const GradientBucket& bucket = program.buckets[0];
  const Instruction& step =
      program.entries.at(EntryPoint::kUpdate)[0].instructions[0];
  EXPECT_EQ(step.op, OpCode::kSgd);
  EXPECT_EQ(step.inputs,
            (std::vector{bucket.gradients[0], bucket.variables[0]}));
  EXPECT_EQ(step.outputs, std::vector{bucket.variables[0]});
}

TEST(Sgd, SlotsLieBehindTheVariables) {
  ASSERT_OK_AND_ASSIGN(const Program program, Build({.momentum = 0.9}));
  ASSERT_EQ(program.variables.size(), 4U);
  EXPECT_EQ(program.variable_elements, 2 * (6 + 2));
  std::set<std::int64_t> elements;
  for (const ProgramVariable& variable : program.variables) {
    const ProgramTensor& tensor = program.tensor(variable.tensor);
    EXPECT_EQ(variable.is_slot, tensor.offset >= 8) << tensor.name;
    EXPECT_FALSE(variable.is_slot && tensor.feeds_product) << tensor.name;
    for (std::int64_t i = 0; i < tensor.shape.elements(); ++i)
      EXPECT_TRUE(elements.insert(tensor.offset + i).second) << tensor.name;
  }
  EXPECT_EQ(elements.size(), 16U);
  EXPECT_EQ(*elements.rbegin(), 15);
}

TEST(Sgd, RefusesAMomentumOutOfRange) {
  for (const double momentum :
       {-0.1, 1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(
        Build({.momentum = momentum}),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("momentum is")));
}

}  // namespace
}  // namespace podsim
