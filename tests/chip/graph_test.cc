// What a chip has to compute of a Program: without what is the emulator's.
#include "chip/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/composites/batch_norm.h"
#include "tests/chip/chip_cases.h"

namespace podsim {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> OpsOf(const ChipGraph& graph) {
  std::vector<std::string> ops;
  for (const ChipNode& node : graph.nodes) ops.emplace_back(node.op.name());
  return ops;
}

// relu(x [B, 4, 2] as [B, 8] . w + b).
Program Dense() {
  Graph g("dense");
  const Value x = g.Reshape(g.Features({{4, 2}}), {{8}}, "flat");
  const Value product = testing::Times(g, x, 16, "product");
  const Value bias = g.Variable("b", {{16}}, Initializer::kZeros);
  const Value h = g.Relu(g.AddBias(product, bias, "sum"), "h");
  return testing::Evaluating(g, {h});
}

TEST(ChipGraphOf, SeesThroughRoundingAndViews) {
  const ChipGraph graph = ChipGraphOf(Dense(), EntryPoint::kEval);
  EXPECT_THAT(OpsOf(graph), ElementsAre("MatMul", "AddBias", "Relu"));
  const ChipNode& product = graph.node(0);
  const ChipValue& flat = graph.value(product.operands[0]);
  EXPECT_EQ(flat.type.shape, WithBatch({{8}}));
  const ChipValue& features = graph.value(flat.view_of);
  EXPECT_EQ(features.name, "features");
  EXPECT_EQ(features.type.shape, WithBatch({{4, 2}}));
  EXPECT_EQ(features.type.dtype, DType::kFloat32) << "not the rounded copy's";
  EXPECT_EQ(features.kind, ChipValueKind::kInput);
  EXPECT_EQ(graph.value(product.operands[1]).kind, ChipValueKind::kWeight);
  const ChipValue& h = graph.value(graph.node(2).results[0]);
  EXPECT_EQ(h.kind, ChipValueKind::kOutput);
  EXPECT_TRUE(h.is_left());
  EXPECT_EQ(h.node, 2);
}

// loss = sum of (x . w)^2 over 16 features.
Graph Squares(Value& loss) {
  Graph g("squares");
  const Value y = testing::Times(g, g.Features({{8}}), 16, "y");
  loss = testing::Fold(g, testing::Op(g, "multiply", {y, y}, "square"), "add",
                       {1}, "sum");
  return g;
}

TEST(ChipGraphOf, GradientsAreSummedOverCoresThenUpdated) {
  Value loss;
  const Graph g = Squares(loss);
  const Program program = testing::Training(g, loss, testing::UpdateBy("adam"));
  const ChipGraph graph = ChipGraphOf(program, EntryPoint::kTrainMicrobatch);
  ASSERT_GE(graph.nodes.size(), 2U);
  const ChipNode& reduce = graph.nodes[graph.nodes.size() - 2];
  const ChipNode& update = graph.nodes.back();
  EXPECT_EQ(reduce.op, OpCode::kAllReduce);
  EXPECT_EQ(reduce.bucket, 0);
  ASSERT_EQ(reduce.operands.size(), 1U);
  const ChipValue& gradient = graph.value(reduce.operands[0]);
  EXPECT_EQ(gradient.kind, ChipValueKind::kGradient);
  EXPECT_EQ(graph.node(gradient.node).op, OpCode::kMatMulGradWeight);

  EXPECT_EQ(update.op, OpCode::kUpdate);
  ASSERT_EQ(update.operands.size(), 4U);  // gradient, two slots, weight
  EXPECT_EQ(update.operands[0], reduce.results[0]);
  EXPECT_EQ(graph.value(update.operands[0]).in_place_of, reduce.operands[0]);
  EXPECT_EQ(graph.value(update.operands[1]).kind, ChipValueKind::kSlot);
  ASSERT_EQ(update.results.size(), 3U);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(graph.value(update.results[i]).in_place_of,
              update.operands[i + 1]);
  EXPECT_EQ(graph.value(update.results[2]).kind, ChipValueKind::kWeight);
}

TEST(ChipGraphOf, ClippingIsANormAndAFactor) {
  Value loss;
  const Graph g = Squares(loss);
  const Program program = testing::Training(g, loss, {.clip_norm = 1});
  const std::vector<std::string> ops =
      OpsOf(ChipGraphOf(program, EntryPoint::kTrainMicrobatch));
  ASSERT_GE(ops.size(), 10U);
  EXPECT_THAT(
      std::vector<std::string>(ops.end() - 10, ops.end()),
      ElementsAre("all_reduce", "multiply", "reduce", "rsqrt", "constant",
                  "multiply", "constant", "minimum", "Scale", "Update"));
}

// A core with itself is nobody's collective; all cores of the slice are.
TEST(ChipGraphOf, JoinsOfSeveralCoresAreCollectives) {
  const auto joins = [](std::int64_t group) {
    Graph g("joins");
    const Value y = testing::Times(g, g.Features({{8}}), 16, "y");
    const Value scale = g.Variable("scale", {{16}}, Initializer::kOnes);
    const Value bias = g.Variable("bias", {{16}}, Initializer::kZeros);
    const Value normal =
        BatchNormTraining(g, y, scale, bias, 1e-5, "norm", group).y;
    const Program program =
        testing::Training(g, testing::Fold(g, normal, "add", {1}, "sum"));
    const std::vector<std::string> ops =
        OpsOf(ChipGraphOf(program, EntryPoint::kTrainMicrobatch));
    return std::count(ops.begin(), ops.end(), "all_reduce");
  };
  EXPECT_EQ(joins(1), 1) << "the gradients' bucket";
  // Forward the sum, the count and the sum of squares, backward the two sums'
  // gradients.
  EXPECT_EQ(joins(0), 6);
}

TEST(ChipGraphOf, AnAbsentEntryHasNoNodes) {
  const ChipGraph graph = ChipGraphOf(Dense(), EntryPoint::kTrainMicrobatch);
  EXPECT_TRUE(graph.nodes.empty());
  EXPECT_TRUE(graph.values.empty());
}

}  // namespace
}  // namespace podsim
