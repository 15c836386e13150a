// Models for plans, so small that their values can be computed by the ops'
// references: what they see, and gradients of what they read at two places.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/zoo/model_numbers.h"
#include "models/zoo/named_models.h"
#include "tests/models/composites/graph_values.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::GraphValues;
using ::podsim::testing::IsOk;

constexpr std::int64_t kRows = 2;

ModelConfig Small(const std::string& name, std::vector<std::string> numbers) {
  ModelConfig config;
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
