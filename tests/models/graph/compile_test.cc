// Compiled Programs: entry points, results, and what Compile refuses.
#include "models/graph/compile.h"

#include <set>

#include "tests/models/graph/toy_program.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::CompileToy;
using ::podsim::testing::InstructionsOf;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::podsim::testing::Toy;
using ::testing::HasSubstr;

TEST(Compile, ReshapingABatchMovesNothing) {
  const Program program = CompileToy({});
  for (const Instruction& instruction :
       InstructionsOf(program, EntryPoint::kTrainMicrobatch))
    EXPECT_NE(instruction.op, OpCode::kReshape);
  EXPECT_EQ(program.tensor(program.input("features")).shape,
            WithBatch({{3, 4}}));
}

TEST(Compile, EvalIsForwardAlone) {
  const Program program = CompileToy({});
  const auto& eval = program.entries.at(EntryPoint::kEval);
  ASSERT_EQ(eval.size(), 1U);
  std::set<TensorId> written;
  for (const Instruction& instruction : eval[0].instructions) {
    written.insert(instruction.outputs.begin(), instruction.outputs.end());
    for (const TensorId id : instruction.outputs)
      EXPECT_NE(program.tensor(id).storage, Storage::kGradient);
  }
  EXPECT_TRUE(written.contains(program.loss));
  EXPECT_TRUE(written.contains(program.metric("accuracy")));
  EXPECT_EQ(program.tensor(program.loss).storage, Storage::kOutput);
  EXPECT_EQ(program.output_elements_per_row, 2);
  EXPECT_LT(eval[0].instructions.size(),
            InstructionsOf(program, EntryPoint::kTrainMicrobatch).size());
}

TEST(Compile, InferenceNeedsNoLoss) {
  Graph g("forward");
  const Value w = g.Variable("w", {{3, 5}}, Initializer::kZeros);
  const Value y = g.MatMul(g.Features({{3}}), w, "y");
  ASSERT_OK_AND_ASSIGN(const Program program, Compile(g, {.results = {y}}, {}));
  EXPECT_FALSE(program.entries.contains(EntryPoint::kTrainMicrobatch));
  EXPECT_EQ(program.output_elements_per_row, 5);
  EXPECT_EQ(program.loss, kNoTensor);
  EXPECT_EQ(FindTensor(program, "no such tensor"), kNoTensor);
}

TEST(Compile, ListsInputsByName) {
  const Program program = CompileToy({});
  ASSERT_EQ(program.inputs.size(), 3U);
  EXPECT_EQ(program.inputs[0].tensor, program.input("features"));
  EXPECT_EQ(program.inputs[1].tensor, program.input("labels"));
  EXPECT_EQ(program.inputs[2].tensor, program.example_weight());
  EXPECT_TRUE(program.inputs[2].is_example_weight);
  EXPECT_FALSE(program.inputs[0].is_example_weight);
  EXPECT_EQ(program.input("mask"), kNoTensor);
  EXPECT_EQ(program.input_position(program.input("labels")), 1U);
  EXPECT_EQ(program.input_position(program.loss), 3U);
}

// A mask that rides along is neither the features nor the examples' weight.
TEST(Compile, InputsTakeTheBytesOfTheirTypes) {
  Graph g("typed");
  g.Input("image", DType::kUint8, {{3, 5}});
  const Value mask = g.Input("mask", DType::kFloat32, {{4}});
  g.Input("narrow", DType::kBFloat16, {{2}});
  ASSERT_OK_AND_ASSIGN(const Program program,
                       Compile(g, {.results = {g.Relu(mask)}}, {}));
  EXPECT_EQ(program.input_bytes_per_row(), 3 * 5 + 4 * 4 + 2 * 2);
  EXPECT_EQ(program.example_weight(), kNoTensor);
  EXPECT_EQ(program.tensor(program.input("image")).element_bytes(), 1);
}

TEST(Compile, LossAndAccuracyAreMetricsLikeOthers) {
  Toy toy;
  const Value margin = toy.g.Relu(toy.input.loss, "margin");
  toy.input.metrics = {{"margin", margin, MetricCombine::kMax}};
  ASSERT_OK_AND_ASSIGN(const Program program, Compile(toy.g, toy.input, {}));
  ASSERT_EQ(program.metrics.size(), 3U);
  EXPECT_EQ(program.metric("loss"), program.loss);
  EXPECT_EQ(program.metrics[0].name, "accuracy");
  EXPECT_TRUE(program.metrics[0].percent);
  EXPECT_EQ(program.metrics[1].combine, MetricCombine::kMax);
  EXPECT_EQ(program.metric("none"), kNoTensor);
  EXPECT_EQ(program.output_elements_per_row, 3);
  for (const EntryPoint entry :
       {EntryPoint::kTrainMicrobatch, EntryPoint::kEval}) {
    std::set<TensorId> written;
    for (const Instruction& instruction : InstructionsOf(program, entry))
      written.insert(instruction.outputs.begin(), instruction.outputs.end());
    for (const ProgramMetric& metric : program.metrics)
      EXPECT_TRUE(written.contains(metric.tensor)) << metric.name;
  }
  toy.input.metrics[0].name = "loss";
  EXPECT_THAT(Compile(toy.g, toy.input, {}),
              StatusIs(kInvalid, HasSubstr("two metrics are called 'loss'")));
}

TEST(Compile, AMetricIsComputedByItsPassesAlone) {
  Toy toy;
  toy.input.loss_passes = MetricPasses::kTraining;
  toy.input.correct = kNone;
  const Value seen =
      toy.g.Apply(OpCode("exponential"), {toy.input.loss}, {})[0];
  toy.input.metrics = {{.name = "perplexity",
                        .value = seen,
                        .passes = MetricPasses::kEvaluation}};
  ASSERT_OK_AND_ASSIGN(const Program program, Compile(toy.g, toy.input, {}));
  const auto writes = [&](EntryPoint entry, const char* metric) {
    for (const Instruction& instruction : InstructionsOf(program, entry))
      for (const TensorId id : instruction.outputs)
        if (id == program.metric(metric)) return true;
    return false;
  };
  EXPECT_TRUE(writes(EntryPoint::kTrainMicrobatch, "loss"));
  EXPECT_FALSE(writes(EntryPoint::kTrainMicrobatch, "perplexity"));
  EXPECT_TRUE(writes(EntryPoint::kEval, "perplexity"));
  toy.input.metrics = {};
  ASSERT_OK_AND_ASSIGN(const Program alone, Compile(toy.g, toy.input, {}));
  EXPECT_TRUE(InstructionsOf(alone, EntryPoint::kEval).empty());
}

TEST(Compile, WithoutWeightsEachExampleHasItsShare) {
  Toy toy;
  toy.input.weights = kNone;
  ASSERT_OK_AND_ASSIGN(const Program program, Compile(toy.g, toy.input, {}));
  EXPECT_EQ(ToText(program), ToText(CompileToy({})));
  EXPECT_NE(program.example_weight(), kNoTensor);
}

TEST(Compile, IsDeterministic) {
  EXPECT_EQ(ToText(CompileToy({})), ToText(CompileToy({})));
  EXPECT_NE(ToText(CompileToy({})),
            ToText(CompileToy({.bfloat16_products = false})));
  EXPECT_NE(ToText(CompileToy({})), ToText(CompileToy({.bucket_bytes = 1})));
}

TEST(Compile, PassesTheGraphsErrorOn) {
  Toy toy;
  toy.g.Fail(absl::InvalidArgumentError("too wide"));
  EXPECT_THAT(Compile(toy.g, toy.input, {}),
              StatusIs(kInvalid, HasSubstr("model toy: too wide")));
}

TEST(Compile, RefusesBadInput) {
  {
    Toy toy;
    EXPECT_THAT(Compile(toy.g, toy.input, {.bucket_bytes = 0}),
                StatusIs(kInvalid, HasSubstr("bucket_bytes is 0")));
  }
  {
    Toy toy;
    toy.input.loss = toy.g.Features({{3, 4}});
    EXPECT_THAT(Compile(toy.g, toy.input, {}),
                StatusIs(kInvalid, HasSubstr("[B, 3, 4] but must be [B]")));
  }
  {
    Toy toy;
    toy.input.weights = {1000};
    EXPECT_THAT(Compile(toy.g, toy.input, {}),
                StatusIs(kInvalid, HasSubstr("weights is absent")));
  }
  {
    Toy toy;
    toy.input.update = nullptr;
    EXPECT_THAT(Compile(toy.g, toy.input, {}),
                StatusIs(kInvalid, HasSubstr("no update rule")));
  }
  {
    Toy toy;
    toy.input.evaluation = {{"perplexity", toy.input.loss}};
    EXPECT_THAT(Compile(toy.g, toy.input, {}),
                StatusIs(kInvalid, HasSubstr("metric 'perplexity', which")));
  }
  {
    Toy toy;
    toy.input.results = {toy.g.ExampleWeights()};
    EXPECT_THAT(Compile(toy.g, toy.input, {}),
                StatusIs(kInvalid, HasSubstr("which no op computes")));
  }
  {
    Toy toy;
    toy.input.results = {
        toy.g.Reshape(toy.g.Input("image", DType::kUint8, {{4}}), {{2, 2}})};
    EXPECT_THAT(Compile(toy.g, toy.input, {}),
                StatusIs(kInvalid, HasSubstr("results are float32")));
  }
}

}  // namespace
}  // namespace podsim
