// Learning-rate schedules and how a rule becomes the update of a Program.
#include "models/optimizer/optimizer.h"

#include <cmath>
#include <limits>
#include <set>

#include "models/optimizer/learning_rate.h"
#include "models/rules/update_rules.h"
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

// init + (peak - init) * step / warm-up, as optax has it.
TEST(RateAt, RisesFromWhereItIsToldToThePeakOfTheStepAfter) {
  LearningRate schedule = Schedule(0.8, 400);
  for (const double init : {0.0, 0.25}) {
    schedule.set_warmup_init(init);
    for (std::int64_t before = 0; before < 400; before += 100)
      EXPECT_DOUBLE_EQ(
          RateAt(schedule, before, 100),
          0.8 * init + (0.8 - 0.8 * init) * static_cast<double>(before) / 400)
          << before;
    EXPECT_EQ(RateAt(schedule, 400, 100), 0.8);
  }
}

TEST(RateAt, DependsOnExamplesNotOnSteps) {
  const LearningRate schedule = Schedule(1, 1000);
  // The same number of examples done: the same rate, however it was cut.
  EXPECT_DOUBLE_EQ(RateAt(schedule, 300, 100), RateAt(schedule, 0, 400));
}

TEST(RateAt, ABatchLargerThanTheWarmupRunsAtThePeak) {
  EXPECT_EQ(RateAt(Schedule(1, 10), 0, 4096), 1);
}

// Peak 2 after 100 examples, the run ends after 1,100.
LearningRate Shaped(const char* shape) {
  LearningRate schedule = Schedule(2, 100);
  schedule.set_schedule(shape);
  schedule.set_end_examples(1100);
  return schedule;
}

TEST(RateAt, SchedulesFallFromTheWarmUpToTheEnd) {
  for (const char* shape : {"linear", "cosine", "polynomial"}) {
    SCOPED_TRACE(shape);
    LearningRate schedule = Shaped(shape);
    schedule.set_end(0.25);
    schedule.set_power(2);
    EXPECT_DOUBLE_EQ(RateAt(schedule, 0, 50), 1) << "warm-up";
    EXPECT_EQ(RateAt(schedule, 50, 50), 2);
    EXPECT_EQ(RateAt(schedule, 100, 50), 2);
    double before = 2;
    for (std::int64_t consumed = 150; consumed <= 1100; consumed += 50) {
      const double rate = RateAt(schedule, consumed, 50);
      EXPECT_LT(rate, before);
      before = rate;
    }
    EXPECT_DOUBLE_EQ(before, 0.5);
    EXPECT_EQ(RateAt(schedule, 5000, 50), before) << "beyond the end";
  }
}

TEST(RateAt, SchedulesAreOptaxs) {
  EXPECT_DOUBLE_EQ(RateAt(Shaped("linear"), 350, 50), 1.5);
  EXPECT_DOUBLE_EQ(RateAt(Shaped("cosine"), 600, 50), 1);
  EXPECT_NEAR(RateAt(Shaped("cosine"), 350, 50), 1 + std::sqrt(0.5), 1e-15);
  LearningRate polynomial = Shaped("polynomial");
  polynomial.set_power(2);
  EXPECT_DOUBLE_EQ(RateAt(polynomial, 600, 50), 0.5);
  LearningRate step = Shaped("step");
  step.add_drops(300);
  step.add_drops(600);
  step.set_drop_factor(0.1);
  EXPECT_EQ(RateAt(step, 299, 50), 2);
  EXPECT_DOUBLE_EQ(RateAt(step, 300, 50), 0.2);
  EXPECT_DOUBLE_EQ(RateAt(step, 600, 50), 0.02);
}

TEST(RateAt, AScheduleShorterThanItsWarmUpHolds) {
  LearningRate schedule = Schedule(2, 100);
  schedule.set_schedule("linear");
  schedule.set_end_examples(80);
  EXPECT_EQ(RateAt(schedule, 90, 10), 2);
}

absl::StatusOr<Program> Build(const CompileOptions& options) {
  Graph g("toy");
  const Value w = g.Variable("dense/w", {{3, 2}}, Initializer::kGlorotUniform);
  const Value b = g.Variable("dense/bias", {{2}}, Initializer::kZeros);
  const Value logits = g.AddBias(g.MatMul(g.Features({{3}}), w), b);
  const auto head = g.SoftmaxXent(logits, g.Labels());
  return Compile(
      g,
      {.loss = head.loss, .weights = g.ExampleWeights(), .update = Optimizer},
      options);
}

CompileOptions With(const UpdateRule& rule) {
  return {.rule = rule.info.name, .rule_settings = rule.info.defaults};
}

TEST(Optimizer, UpdatesTheVariablesOfEachBucketWithTheirSlots) {
  for (const UpdateRule& rule : UpdateRules()) {
    SCOPED_TRACE(rule.info.name);
    CompileOptions options = With(rule);
    options.bucket_bytes = 1;
    ASSERT_OK_AND_ASSIGN(const Program program, Build(options));
    const auto& update = program.entries.at(EntryPoint::kUpdate);
    ASSERT_EQ(update.size(), 2U);
    EXPECT_FALSE(program.update_needs_all);
    EXPECT_EQ(program.rule_settings, rule.info.defaults);
    for (std::size_t i = 0; i < update.size(); ++i) {
      const GradientBucket& bucket = program.buckets[i];
      ASSERT_EQ(update[i].instructions.size(), bucket.variables.size());
      const Instruction& step = update[i].instructions[0];
      EXPECT_EQ(step.op, OpCode::kUpdate);
      EXPECT_EQ(step.attributes.rule, NumberOf(rule));
      EXPECT_EQ(step.attributes.trusts, rule.info.layer_wise);
      EXPECT_EQ(step.attributes.decays, rule.info.defaults.weight_decay != 0);
      EXPECT_EQ(step.inputs.front(), bucket.gradients[0]);
      EXPECT_EQ(step.inputs.back(), bucket.variables[0]);
      EXPECT_EQ(step.outputs.back(), bucket.variables[0]);
      const auto slots = static_cast<std::size_t>(rule.info.slot_count);
      ASSERT_EQ(step.outputs.size(), slots + 1);
      for (std::size_t slot = 0; slot < slots; ++slot)
        EXPECT_EQ(program.tensor(step.outputs[slot]).name,
                  program.tensor(bucket.variables[0]).name + "/" +
                      rule.info.slots[slot]);
    }
  }
}

// The names that checkpoints know.
TEST(Optimizer, SgdWithAMomentumIsMomentum) {
  ASSERT_OK_AND_ASSIGN(const Program program,
                       Build({.rule_settings = {.momentum = 0.9}}));
  EXPECT_NE(FindTensor(program, "dense/w/momentum"), kNoTensor);
  EXPECT_EQ(program.entries.at(EntryPoint::kUpdate)[0]
                .instructions[0]
                .attributes.rule,
            NumberOf(*FindUpdateRule("momentum")));
}

TEST(Optimizer, SlotsLieBehindTheVariables) {
  for (const UpdateRule& rule : UpdateRules()) {
    SCOPED_TRACE(rule.info.name);
    const int copies = 1 + rule.info.slot_count;
    ASSERT_OK_AND_ASSIGN(const Program program, Build(With(rule)));
    ASSERT_EQ(std::ssize(program.variables), 2 * copies);
    EXPECT_EQ(program.variable_elements, copies * (6 + 2));
    std::set<std::int64_t> elements;
    for (const ProgramVariable& variable : program.variables) {
      const ProgramTensor& tensor = program.tensor(variable.tensor);
      EXPECT_EQ(variable.is_slot, tensor.offset >= 8) << tensor.name;
      EXPECT_FALSE(variable.is_slot && tensor.feeds_product) << tensor.name;
      for (std::int64_t i = 0; i < tensor.shape.elements(); ++i)
        EXPECT_TRUE(elements.insert(tensor.offset + i).second) << tensor.name;
    }
    EXPECT_EQ(std::ssize(elements), 8 * copies);
    EXPECT_EQ(*elements.rbegin(), 8 * copies - 1);
  }
}

TEST(Optimizer, ExcludedVariablesHaveNoDecayAndNoTrustRatio) {
  CompileOptions options = With(*FindUpdateRule("lars"));
  options.rule_settings.weight_decay = 0.1;
  options.weight_decay_exclude = {"norm", "bias"};
  ASSERT_OK_AND_ASSIGN(const Program program, Build(options));
  for (const Instruction& step :
       program.entries.at(EntryPoint::kUpdate)[0].instructions) {
    const bool bias = program.tensor(step.outputs.back()).name == "dense/bias";
    EXPECT_EQ(step.attributes.decays, !bias);
    EXPECT_EQ(step.attributes.trusts, !bias);
  }
}

TEST(Optimizer, ClippingReadsAllBucketsFirst) {
  ASSERT_OK_AND_ASSIGN(const Program program,
                       Build({.clip_norm = 0.5, .bucket_bytes = 1}));
  EXPECT_TRUE(program.update_needs_all);
  const auto& update = program.entries.at(EntryPoint::kUpdate);
  ASSERT_EQ(update.size(), 3U);
  const Instruction& clip = update[0].instructions[0];
  EXPECT_EQ(clip.op, OpCode::kClip);
  EXPECT_EQ(clip.inputs, (std::vector{program.buckets[0].gradients[0],
                                      program.buckets[1].gradients[0]}));
  EXPECT_EQ(clip.outputs, clip.inputs);
}

TEST(Optimizer, RefusesWhatIsOutOfBoundsOrUnread) {
  const auto refused = [](const CompileOptions& options, const char* what) {
    EXPECT_THAT(Build(options),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(what)));
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double momentum : {-0.1, 1.0, nan})
    refused({.rule_settings = {.momentum = momentum}}, "momentum is");
  refused({.rule = "adamax"}, "known: sgd, momentum");
  refused({.rule = "adam"}, "epsilon is 0 but must be more than 0");
  refused({.rule_settings = {.beta1 = 0.9}}, "sgd reads no beta1");
  refused({.clip_norm = nan}, "clip_norm is nan");
  refused({.weight_decay_exclude = {"scale"}},
          "weight_decay_exclude is scale but no variable's name contains "
          "scale; the names are ");
}

}  // namespace
}  // namespace podsim
