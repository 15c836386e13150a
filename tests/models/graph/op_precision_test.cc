// Graphs that compute in bfloat16: which types ops take and leave, and what is
// rounded.
#include "models/graph/op_precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/graph/graph.h"
#include "models/ops/op_table.h"
#include "tests/models/composites/graph_values.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::GraphValues;
using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> NodeNames(const Graph& graph) {
  std::vector<std::string> names;
  for (const GraphNode& node : graph.nodes())
    names.push_back(graph.value(node.outputs[0]).name);
  return names;
}

std::string TypeText(const Graph& graph, Value value) {
  return ToString(graph.type(value));
}

Value Reduced(Graph& graph, Value x, const char* word) {
  OpAttributes attributes;
  attributes.word = word;
  attributes.lists["dimensions"] = {1};
  return graph.Apply(OpCode("reduce"), {x}, std::move(attributes))[0];
}

TEST(ComputeIn, AProductRoundsItsOperandsAndItsSums) {
  Graph g("toy");
  const Value x = g.Features({{2}});
  const Value w = g.Variable("w", {{2, 3}}, Initializer::kZeros);
  const ComputesIn activations(g, DType::kBFloat16);
  const Value y = g.MatMul(x, w, "y");
  ASSERT_THAT(g.status(), IsOk());
  EXPECT_EQ(TypeText(g, y), "bfloat16 [B, 3]");
  EXPECT_EQ(TypeText(g, w), "[2, 3]");
  EXPECT_THAT(
      NodeNames(g),
      ElementsAre("features/bfloat16", "features/bfloat16/float32",
                  "w/bfloat16", "w/bfloat16/float32", "y", "y/bfloat16"));
}

TEST(ComputeIn, AWeightIsRoundedOnce) {
  Graph g("toy");
  const Value x = g.Features({{2}});
  const Value w = g.Variable("w", {{2, 2}}, Initializer::kZeros);
  const ComputesIn activations(g, DType::kBFloat16);
  g.MatMul(g.MatMul(x, w, "y"), w, "z");
  ASSERT_THAT(g.status(), IsOk());
  const std::vector<std::string> names = NodeNames(g);
  EXPECT_EQ(std::count(names.begin(), names.end(), "w/bfloat16"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "w/bfloat16/float32"), 2);
}

TEST(ComputeIn, ElementsAreBFloat16AndSumsFloat32) {
  Graph g("toy");
  const Value x = g.Features({{2}});
  const ComputesIn activations(g, DType::kBFloat16);
  const Value y = g.Add(x, x);
  EXPECT_EQ(TypeText(g, y), "bfloat16 [B, 2]");
  EXPECT_EQ(TypeText(g, g.Relu(x)), "bfloat16 [B, 2]");
  EXPECT_EQ(TypeText(g, Reduced(g, y, "add")), "[B]");
  EXPECT_EQ(TypeText(g, Reduced(g, y, "maximum")), "bfloat16 [B]");
  EXPECT_EQ(TypeText(g, Reduced(g, x, "maximum")), "[B]");
  const Value bias = g.Variable("bias", {{2}}, Initializer::kZeros);
  EXPECT_EQ(TypeText(g, g.AddBias(y, bias)), "[B, 2]");
  EXPECT_EQ(TypeText(g, g.Reshape(y, {{1, 2}})), "bfloat16 [B, 1, 2]");
  EXPECT_THAT(g.status(), IsOk());
}

// Where operands are of two types, what is only moved is rounded, too.
TEST(ComputeIn, ChoicesAreOfOneType) {
  Graph g("toy");
  const Value x = g.Features({{2}});
  const ComputesIn activations(g, DType::kBFloat16);
  const Value y = g.Relu(x);
  OpAttributes less;
  less.word = "LT";
  const Value is_less = g.Apply(OpCode("compare"), {x, y}, std::move(less))[0];
  EXPECT_EQ(TypeText(g, is_less), "bool [B, 2]");
  EXPECT_EQ(TypeText(g, g.Apply(OpCode("select"), {is_less, y, x})[0]),
            "bfloat16 [B, 2]");
  EXPECT_EQ(TypeText(g, g.Apply(OpCode("select"), {is_less, x, x})[0]),
            "[B, 2]");
  EXPECT_THAT(g.status(), IsOk());
}

TEST(ComputeIn, EndsWithItsScope) {
  Graph g("toy");
  const Value x = g.Features({{2}});
  Value y = kNone;
  {
    const ComputesIn activations(g, DType::kBFloat16);
    {
      const ComputesIn statistics(g, DType::kFloat32);
      EXPECT_EQ(TypeText(g, g.Relu(x)), "[B, 2]");
    }
    y = g.Relu(x);
  }
  EXPECT_EQ(TypeText(g, g.Relu(x)), "[B, 2]");
  EXPECT_EQ(g.Converted(x, DType::kFloat32), x);
  EXPECT_EQ(g.Converted(y, DType::kFloat32), g.Converted(y, DType::kFloat32));
  ASSERT_THAT(g.status(), IsOk());
  g.Add(x, y);
  EXPECT_THAT(g.status(), StatusIs(kInvalid, HasSubstr("same shape")));
}

// 257 lies in the middle of two numbers of bfloat16, and 1 + 2^-8, too: each
// becomes the one whose last bit is 0.
TEST(ComputeIn, SumsAreRoundedOnceAndOperandsBefore) {
  Graph g("toy");
  const Value x = g.Features({{2}});
  const Value w = g.Variable("w", {{2, 1}}, Initializer::kZeros);
  const ComputesIn activations(g, DType::kBFloat16);
  const Value y = g.MatMul(x, w);
  ASSERT_THAT(g.status(), IsOk());
  GraphValues values(g, 3);
  values.at(x).values = {256, 1, 1 + 0x1p-8, 0, 256, 3};
  values.at(w).values = {1, 1};
  EXPECT_THAT(values.Compute(y).values, ElementsAre(256, 1, 260));
}

// Of numbers that bfloat16 has: dw is the sum of x over the rows whose y is
// above 0, and float32.
TEST(ComputeIn, GradientsOfWeightsAreFloat32) {
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    Graph g("toy");
    const Value x = g.Features({{2}});
    const Value w = g.Variable("w", {{2, 2}}, Initializer::kZeros);
    const Value weights = g.ExampleWeights();
    g.ComputeIn(dtype);
    const Value loss = Reduced(g, g.Relu(g.MatMul(x, w)), "add");
    ASSERT_THAT(g.status(), IsOk());
    EXPECT_EQ(TypeText(g, loss), "[B]");
    GraphValues values(g, 2);
    values.at(x).values = {1, 2, -1, 3};
    values.at(w).values = {1, -2, 0.5, 4};
    values.at(weights).values = {1, 1};
    EXPECT_THAT(values.Compute(loss).values, ElementsAre(8, 14.5));
    const Tensor gradient = values.Gradient(loss, weights, w);
    EXPECT_EQ(gradient.type.dtype, DType::kFloat32);
    EXPECT_THAT(gradient.values, ElementsAre(0, 0, 5, 5));
  }
}

TEST(PrecisionOf, AProductOfFullPrecisionIsFloat32) {
  OpAttributes attributes;
  const OpEntry& product = EntryOf(OpCode("dot_general"));
  EXPECT_EQ(PrecisionOf(product, attributes), OpPrecision::kProduct);
  attributes.lists[kFullPrecision] = {1};
  EXPECT_EQ(PrecisionOf(product, attributes), OpPrecision::kFloat32);
}

}  // namespace
}  // namespace podsim
