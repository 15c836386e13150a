// Models for plans, so small that their values can be computed by the ops'
// references: what they see, and gradients of what they read at two places.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/ops/op_table.h"
#include "models/zoo/model_numbers.h"
#include "models/zoo/named_models.h"
#include "tests/models/composites/graph_values.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::GraphValues;
using ::podsim::testing::IsOk;

constexpr std::int64_t kRows = 2;

// In float32, where central differences see something; or in bfloat16.
ModelConfig Small(const std::string& name, std::vector<std::string> numbers,
                  int activation_bytes = 4) {
  ModelConfig config;
  numbers.push_back(absl::StrCat("activation_bytes=", activation_bytes));
  config.set_name(name);
  const auto parsed = ParseNumbers(numbers);
  EXPECT_THAT(parsed, IsOk());
  for (const ModelNumber& number : *parsed) *config.add_numbers() = number;
  return config;
}

Value ValueNamed(const Graph& graph, const std::string& name, ValueKind kind) {
  for (std::int32_t id = 0; id < static_cast<int>(graph.values().size()); ++id)
    if (graph.value({id}).kind == kind && graph.value({id}).name == name)
      return {id};
  ADD_FAILURE() << "no " << name;
  return kNone;
}

Value InputOf(const Graph& graph, const std::string& name) {
  return ValueNamed(graph, name, ValueKind::kInput);
}

double Sum(const Tensor& tensor) {
  double sum = 0;
  for (const double value : tensor.values) sum += value;
  return sum;
}

// Central differences err by about h^2 + epsilon / h.
void ExpectItsGradient(const Graph& graph, const CompileInput& input,
                       const std::string& variable, GraphValues& values) {
  SCOPED_TRACE(variable);
  for (double& weight : values.at(input.weights).values) weight = 1;
  const Value of = ValueNamed(graph, variable, ValueKind::kVariable);
  const Tensor known = values.Gradient(input.loss, input.weights, of);
  const Tensor differences = values.Differences(input.loss, of);
  for (std::size_t i = 0; i < known.values.size(); ++i)
    EXPECT_NEAR(known.values[i], differences.values[i], 1e-7) << i;
}

TEST(Gpt2Values, TheTableIsReadAtBothEnds) {
  Graph graph("gpt2");
  ASSERT_OK_AND_ASSIGN(
      const CompileInput input,
      BuildGpt2(Small("gpt2", {"layers=1", "width=4", "heads=2", "vocabulary=5",
                               "positions=4", "sequence_length=3"}),
                graph));
  ASSERT_THAT(graph.status(), IsOk());
  GraphValues values(graph, kRows);
  values.at(InputOf(graph, "tokens")).values = {0, 3, 1, 4, 4, 2};
  values.at(InputOf(graph, "targets")).values = {3, 1, 2, 4, 2, 0};
  ExpectItsGradient(graph, input, "embed/tokens", values);
  ExpectItsGradient(graph, input, "embed/positions", values);
  // The fourth position is beyond the sequence.
  const Tensor positions = values.Gradient(
      input.loss, input.weights,
      ValueNamed(graph, "embed/positions", ValueKind::kVariable));
  for (std::size_t i = 12; i < 16; ++i) EXPECT_EQ(positions.values[i], 0);
}

TEST(BertValues, SeesWhatTheMaskLetsThrough) {
  Graph graph("bert");
  ASSERT_OK_AND_ASSIGN(
      const CompileInput input,
      BuildBert(Small("bert", {"layers=1", "width=4", "heads=2",
                               "feed_forward=3", "vocabulary=5", "positions=4",
                               "sequence_length=4", "predictions=2"}),
                graph));
  ASSERT_THAT(graph.status(), IsOk());
  GraphValues values(graph, kRows);
  Tensor& ids = values.at(InputOf(graph, "input_ids"));
  ids.values = {1, 2, 3, 4, 0, 4, 2, 1};
  values.at(InputOf(graph, "input_mask")).values = {1, 1, 1, 0, 1, 1, 1, 1};
  values.at(InputOf(graph, "segment_ids")).values = {0, 0, 1, 1, 0, 1, 1, 1};
  values.at(InputOf(graph, "masked_lm_positions")).values = {2, 1, 0, 3};
  values.at(InputOf(graph, "masked_lm_ids")).values = {4, 0, 2, 2};
  values.at(InputOf(graph, "masked_lm_weights")).values = {1, 1, 1, 0};
  values.at(InputOf(graph, "next_sentence_labels")).values = {1, 0};
  ExpectItsGradient(graph, input, "embed/tokens", values);
  ExpectItsGradient(graph, input, "embed/segments", values);
  ExpectItsGradient(graph, input, "layer_0/attention/query/kernel", values);
  const Tensor before = values.Compute(input.loss);
  ids.values[3] = 0;  // beyond the first example's mask
  EXPECT_NEAR(Sum(values.Compute(input.loss)), Sum(before), 1e-12);
  ids.values[7] = 3;  // the second has no padding
  EXPECT_GT(std::abs(Sum(values.Compute(input.loss)) - Sum(before)), 1e-6);
  ids.values[7] = 1;
  // A masked token of weight 0 is none.
  values.at(InputOf(graph, "masked_lm_ids")).values[3] = 4;
  EXPECT_NEAR(Sum(values.Compute(input.loss)), Sum(before), 1e-12);
}

TEST(TransformerValues, TheLastTargetIsOnlySaid) {
  Graph graph("transformer");
  ASSERT_OK_AND_ASSIGN(
      const CompileInput input,
      BuildTransformer(Small("transformer", {"layers=1", "width=4", "heads=2",
                                             "feed_forward=3", "vocabulary=5",
                                             "sequence_length=3"}),
                       graph));
  ASSERT_THAT(graph.status(), IsOk());
  GraphValues values(graph, kRows);
  values.at(InputOf(graph, "inputs")).values = {1, 2, 0, 4, 3, 1};
  Tensor& targets = values.at(InputOf(graph, "targets"));
  targets.values = {2, 4, 0, 1, 3, 2};
  ExpectItsGradient(graph, input, "embed/tokens", values);
  ExpectItsGradient(graph, input, "decoder/layer_0/cross_attention/key/kernel",
                    values);
  // What is said last is not read by the decoder, and the first example's last
  // place is padding.
  const Tensor before = values.Compute(input.loss);
  targets.values[5] = 4;
  const Tensor after = values.Compute(input.loss);
  EXPECT_EQ(after.values[0], before.values[0]);
  EXPECT_NE(after.values[1], before.values[1]);
}

const std::vector<std::string>& TinyGpt2() {
  static const auto& numbers = *new std::vector<std::string>{
      "layers=1",     "width=4",     "heads=2",
      "vocabulary=5", "positions=4", "sequence_length=3"};
  return numbers;
}

// Of the same weights, activations in bfloat16 make about the same loss and
// gradients. A logit of about 1 is off by some 2^-8; a sum of its kind over 400
// draws of weights was off by 0.03 at most.
TEST(Gpt2Values, BFloat16IsNear) {
  std::vector<Tensor> losses;
  std::vector<Tensor> gradients;
  for (const int bytes : {4, 2}) {
    Graph graph("gpt2");
    ASSERT_OK_AND_ASSIGN(const CompileInput input,
                         BuildGpt2(Small("gpt2", TinyGpt2(), bytes), graph));
    ASSERT_THAT(graph.status(), IsOk());
    GraphValues values(graph, kRows);
    values.at(InputOf(graph, "tokens")).values = {0, 3, 1, 4, 4, 2};
    values.at(InputOf(graph, "targets")).values = {3, 1, 2, 4, 2, 0};
    for (double& weight : values.at(input.weights).values) weight = 1;
    losses.push_back(values.Compute(input.loss));
    gradients.push_back(values.Gradient(
        input.loss, input.weights,
        ValueNamed(graph, "embed/tokens", ValueKind::kVariable)));
    EXPECT_EQ(losses.back().type.dtype, DType::kFloat32);
    EXPECT_EQ(gradients.back().type.dtype, DType::kFloat32);
  }
  for (std::size_t i = 0; i < losses[0].values.size(); ++i)
    EXPECT_NEAR(losses[1].values[i], losses[0].values[i], 0.05);
  double squares = 0;
  double of_differences = 0;
  for (std::size_t i = 0; i < gradients[0].values.size(); ++i) {
    const double exact = gradients[0].values[i];
    squares += exact * exact;
    of_differences += std::pow(gradients[1].values[i] - exact, 2);
  }
  EXPECT_GT(of_differences, 0);
  EXPECT_LT(std::sqrt(of_differences / squares), 0.1);
}

using Builder = absl::StatusOr<CompileInput> (*)(const ModelConfig&, Graph&);

struct BuiltCase {
  const char* family;
  Builder build;
  std::vector<std::string> numbers;
};

// A size of each family, with dropout where it has any.
std::vector<BuiltCase> SmallOfEach() {
  return {{"resnet", BuildResnet, {"depth=50"}},
          {"bert",
           BuildBert,
           {"layers=1", "width=8", "heads=2", "feed_forward=6", "vocabulary=5",
            "positions=4", "sequence_length=4", "predictions=2"}},
          {"transformer",
           BuildTransformer,
           {"layers=1", "width=8", "heads=2", "feed_forward=6", "vocabulary=5",
            "sequence_length=3"}},
          {"gpt2", BuildGpt2, TinyGpt2()}};
}

Graph Built(const BuiltCase& of, int activation_bytes) {
  ModelConfig config = Small(of.family, of.numbers, activation_bytes);
  if (std::string(of.family) == "resnet") {
    for (const int side : {32, 32, 3}) config.add_example_shape(side);
    config.set_classes(3);
  } else {
    config.set_dropout(0.1);
  }
  Graph graph(of.family);
  const auto input = of.build(config, graph);
  EXPECT_THAT(input, IsOk());
  EXPECT_THAT(graph.status(), IsOk());
  return graph;
}

// The op that makes a value, and what it is made of; none: an input or a
// variable.
const GraphNode* MakerOf(const Graph& graph, Value value) {
  for (const GraphNode& node : graph.nodes())
    for (const Value output : node.outputs)
      if (output == value) return &node;
  return nullptr;
}

bool IsWidened(const Graph& graph, Value value) {
  const GraphNode* maker = MakerOf(graph, value);
  return maker != nullptr && maker->op == OpCode("convert") &&
         graph.type(maker->inputs[0]).dtype == DType::kBFloat16;
}

bool IsOnlyRounded(const Graph& graph, Value value) {
  int rounded = 0;
  for (const GraphNode& node : graph.nodes())
    for (const Value input : node.inputs) {
      if (!(input == value)) continue;
      if (graph.type(node.outputs[0]).dtype != DType::kBFloat16) return false;
      ++rounded;
    }
  return rounded == 1;
}

TEST(PlannedValues, ProductsReadAndLeaveBFloat16) {
  for (const BuiltCase& of : SmallOfEach()) {
    const Graph graph = Built(of, 2);
    int products = 0;
    for (const GraphNode& node : graph.nodes()) {
      if (!EntryOf(node.op).is_product()) continue;
      ++products;
      for (const Value input : node.inputs)
        EXPECT_TRUE(IsWidened(graph, input)) << graph.value(input).name;
      EXPECT_TRUE(IsOnlyRounded(graph, node.outputs[0]))
          << graph.value(node.outputs[0]).name;
    }
    EXPECT_GE(products, 7) << of.family;
  }
}

// Weights, and the moving averages, are so in any case.
TEST(PlannedValues, FourBytesAreFloat32Throughout) {
  for (const BuiltCase& of : SmallOfEach()) {
    for (const int bytes : {2, 4}) {
      const Graph graph = Built(of, bytes);
      bool rounds = false;
      for (const GraphValue& value : graph.values()) {
        rounds = rounds || value.type.dtype == DType::kBFloat16;
        if (value.kind == ValueKind::kVariable) {
          EXPECT_EQ(value.type.dtype, DType::kFloat32) << value.name;
        }
      }
      EXPECT_EQ(rounds, bytes == 2) << of.family;
    }
  }
}

// The last norm of a block begins with a scale of 0, the others with 1.
TEST(ResnetValues, ABlockBeginsAsItsShortcut) {
  Graph graph("resnet");
  ModelConfig config = Small("resnet", {"depth=18"});
  for (const int side : {32, 32, 1}) config.add_example_shape(side);
  config.set_classes(3);
  ASSERT_OK_AND_ASSIGN(const CompileInput input, BuildResnet(config, graph));
  ASSERT_THAT(graph.status(), IsOk());
  int of_blocks = 0;
  for (const GraphValue& value : graph.values()) {
    if (value.kind != ValueKind::kVariable ||
        !value.name.ends_with("/norm/scale"))
      continue;
    const bool last = value.name.ends_with("/conv_1/norm/scale");
    EXPECT_EQ(value.initializer,
              last ? Initializer::kZeros : Initializer::kOnes)
        << value.name;
    of_blocks += last ? 1 : 0;
  }
  EXPECT_EQ(of_blocks, 8);
  EXPECT_EQ(input.states.size(), 2U * 20);  // of 17 convolutions, 3 shortcuts
}

}  // namespace
}  // namespace podsim
