// What holds of every model, and what each rule is worth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "chip/fuse.h"
#include "chip/tiles.h"
#include "models/ops/op_cost.h"
#include "models/ops/op_table.h"
#include "models/zoo/zoo.h"
#include "tests/chip/chip_cases.h"

namespace podsim {
namespace {

using testing::BytesMoved;
using testing::Chip;
using testing::Fused;

constexpr std::int64_t kRows = 32;

struct Case {
  std::string name;
  Program program;
  EntryPoint entry = EntryPoint::kTrainMicrobatch;
};

Program ModelOf(const std::string& name, const std::vector<int>& shape,
                double dropout) {
  ModelConfig config;
  config.set_name(name);
  for (const int dim : shape) config.add_example_shape(dim);
  if (name == "mlp") config.add_hidden(256);
  config.set_classes(10);
  config.set_dropout(dropout);
  auto program = BuildProgram(config, testing::UpdateBy("adam"));
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *std::move(program) : Program();
}

const std::vector<Case>& Cases() {
  static const auto& cases = *new std::vector<Case>{
      {"mlp", ModelOf("mlp", {100}, 0)},
      {"lenet5", ModelOf("lenet5", {16, 16}, 0)},
      {"lenet5_bn", ModelOf("lenet5_bn", {16, 16}, 0)},
      {"encoder", ModelOf("encoder", {64}, 0.1)},
      {"encoder", ModelOf("encoder", {64}, 0.1), EntryPoint::kEval},
  };
  return cases;
}

// What the graph's ops come to, each once.
struct Work {
  double multiply_adds = 0;
  double vector_flops = 0;
  double transcendentals = 0;
};

Work WorkOfOps(const ChipGraph& graph) {
  Work work;
  for (const ChipNode& node : graph.nodes) {
    std::vector<ValueType> inputs;
    std::vector<ValueType> outputs;
    for (const ChipValueId id : node.operands)
      inputs.push_back(graph.value(id).type);
    for (const ChipValueId id : node.results)
      outputs.push_back(graph.value(id).type);
    const OpCost cost =
        CostOf(EntryOf(node.op), {inputs, outputs, node.attributes}, kRows);
    work.vector_flops += cost.vector_flops;
    work.transcendentals += cost.transcendentals;
    for (const MatrixProduct& product : cost.products)
      work.multiply_adds += UsefulMultiplyAdds(product);
  }
  return work;
}

Work WorkOfKernels(const ChipProgram& program) {
  Work work;
  for (const ChipKernel& kernel : program.kernels) {
    work.vector_flops += kernel.vector_flops;
    work.transcendentals += kernel.transcendentals;
    for (const ChipProduct& product : kernel.products)
      work.multiply_adds += product.multiply_adds;
  }
  return work;
}

TEST(FuseRules, ProductsAreComputedOnceEach) {
  for (const Case& each : Cases()) {
    SCOPED_TRACE(each.name);
    const Chip chip = Fused(each.program, each.entry, {.rows = kRows});
    const Work wanted = WorkOfOps(chip.graph);
    const Work work = WorkOfKernels(chip.program);
    EXPECT_GT(wanted.multiply_adds, 0);
    EXPECT_EQ(work.multiply_adds, wanted.multiply_adds);
    for (const ChipKernel& kernel : chip.program.kernels) {
      EXPECT_EQ(kernel.products.size(),
                kernel.kind == ChipKernelKind::kProduct ? 1U : 0U);
      EXPECT_GE(
          kernel.matrix_flops,
          kernel.products.empty() ? 0 : 2 * kernel.products[0].multiply_adds);
    }
  }
}

TEST(FuseRules, WithoutFusionEachOpIsAKernel) {
  for (const Case& each : Cases()) {
    SCOPED_TRACE(each.name);
    const Chip chip =
        Fused(each.program, each.entry, {.rows = kRows, .fuses = false});
    EXPECT_EQ(chip.program.kernels.size() + chip.program.collectives.size(),
              chip.graph.nodes.size());
    const Work wanted = WorkOfOps(chip.graph);
    const Work work = WorkOfKernels(chip.program);
    EXPECT_DOUBLE_EQ(work.vector_flops, wanted.vector_flops);
    EXPECT_DOUBLE_EQ(work.transcendentals, wanted.transcendentals);
  }
}

TEST(FuseRules, FusingMovesNoMore) {
  for (const Case& each : Cases()) {
    SCOPED_TRACE(each.name);
    const double fused =
        BytesMoved(Fused(each.program, each.entry, {.rows = kRows}));
    EXPECT_LT(fused, BytesMoved(Fused(each.program, each.entry,
                                      {.rows = kRows, .fuses = false})));
    EXPECT_LT(fused, BytesMoved(Fused(each.program, each.entry,
                                      {.rows = kRows, .epilogues = false})));
  }
}

// What is left is written once, and what was there before and is read by some
// op is read.
TEST(FuseRules, InputsAreReadAndResultsAreWritten) {
  for (const Case& each : Cases()) {
    SCOPED_TRACE(each.name);
    const Chip chip = Fused(each.program, each.entry, {.rows = kRows});
    std::map<ChipValueId, int> reads;
    std::map<ChipValueId, int> writes;
    for (const ChipKernel& kernel : chip.program.kernels) {
      for (const ChipTransfer& transfer : kernel.reads) ++reads[transfer.value];
      for (const ChipTransfer& transfer : kernel.writes)
        ++writes[transfer.value];
    }
    const ChipFacts facts = FactsOf(chip.graph);
    for (std::size_t i = 0; i < chip.graph.values.size(); ++i) {
      const auto id = static_cast<ChipValueId>(i);
      const ChipValue& value = chip.graph.values[i];
      if (value.view_of != kNoChipValue) continue;
      if (value.node == kNoChipNode && facts.readers[i] > 0) {
        EXPECT_GT(reads[id], 0) << value.name;
      }
      if (value.is_left() && facts.ways[value.node] != ChipWay::kJoins) {
        EXPECT_GE(writes[id], 1) << value.name;
      }
    }
  }
}

// Each kernel reads what was there before or what an earlier one wrote, in
// whole, and collectives stand between makers and readers.
TEST(FuseRules, KernelsComeBehindWhatTheyRead) {
  for (const Case& each : Cases()) {
    SCOPED_TRACE(each.name);
    const Chip chip = Fused(each.program, each.entry, {.rows = kRows});
    std::map<ChipValueId, int> available_at;
    for (std::size_t i = 0; i < chip.graph.values.size(); ++i)
      if (chip.graph.values[i].node == kNoChipNode)
        available_at[static_cast<ChipValueId>(i)] = -1;
    for (std::size_t i = 0; i < chip.program.kernels.size(); ++i)
      for (const ChipTransfer& transfer : chip.program.kernels[i].writes)
        available_at.emplace(transfer.value, static_cast<int>(i));
    for (const ChipCollective& collective : chip.program.collectives) {
      EXPECT_LT(collective.ready, collective.needed);
      const ChipNode& node = chip.graph.node(collective.node);
      for (const ChipValueId operand : node.operands)
        EXPECT_LE(available_at.at(chip.graph.root(operand)), collective.ready);
      for (const ChipValueId result : node.results)
        available_at[result] = collective.needed - 1;
    }
    for (std::size_t i = 0; i < chip.program.kernels.size(); ++i)
      for (const ChipTransfer& transfer : chip.program.kernels[i].reads)
        EXPECT_LE(available_at.at(transfer.value), static_cast<int>(i))
            << chip.graph.value(transfer.value).name;
  }
}

TEST(FuseRules, MoreExamplesMoveMore) {
  for (const Case& each : Cases()) {
    SCOPED_TRACE(each.name);
    double before = 0;
    for (const std::int64_t rows : {128, 256, 384}) {
      const double bytes =
          BytesMoved(Fused(each.program, each.entry, {.rows = rows}));
      EXPECT_GT(bytes, before);
      before = bytes;
    }
  }
}

// y = relu(a * scale + s) is read by products.
TEST(FuseRules, EachWayOfStoringIsWorthSomething) {
  const auto moved = [](int products, ChipStores stores) {
    Graph g("stores");
    const auto input = [&](const char* name) {
      return g.Input(name, DType::kFloat32, {{256}});
    };
    const Value a = input("a");
    const Value scale = g.Variable("scale", {{256}}, Initializer::kOnes);
    const Value scaled =
        testing::Op(g, "multiply",
                    {a, testing::SpreadLast(g, scale, a, "spread")}, "scaled");
    const Value y = g.Relu(g.Add(scaled, input("s"), "sum"), "y");
    std::vector<Value> results;
    for (int i = 0; i < products; ++i)
      results.push_back(testing::Times(g, y, 128, "p" + std::to_string(i)));
    return BytesMoved(Fused(testing::Evaluating(g, results), EntryPoint::kEval,
                            {.rows = 128, .stores = stores}));
  };
  // Each product reads its weight, 131,072, and writes 65,536. Two more reads
  // of a tensor for each, and of the scale; or three once, one write, and one
  // read each.
  const auto again = [](int products) {
    return products * (131072.0 + 65536 + 2 * 131072 + 1024);
  };
  const auto stored = [](int products) {
    return 2 * 131072.0 + 1024 + 131072 + products * (131072.0 * 2 + 65536);
  };
  EXPECT_EQ(moved(2, ChipStores::kForManyReaders), again(2));
  EXPECT_EQ(moved(3, ChipStores::kForManyReaders), stored(3));
  EXPECT_EQ(moved(3, ChipStores::kNever), again(3));
  EXPECT_EQ(moved(2, ChipStores::kWhereverItSaves), stored(2));
  EXPECT_GT(stored(2), again(2));
  EXPECT_LT(stored(3), again(3));
}

TEST(FuseRules, WithoutPaddingProductsTakeWhatTheyAre) {
  const auto flops = [](std::int64_t side) {
    Graph g("narrow");
    const Value p = testing::Times(g, g.Features({{128}}), 64, "p");
    return Fused(testing::Evaluating(g, {p}), EntryPoint::kEval,
                 {.rows = 128, .matrix_unit_side = side})
        .program.kernels.at(0)
        .matrix_flops;
  };
  EXPECT_EQ(flops(1), 2.0 * 128 * 64 * 128);
  EXPECT_EQ(flops(128), 2 * flops(1)) << "64 columns of 128";
  EXPECT_EQ(flops(256), 8 * flops(1)) << "and 128 of 256 summed";
}

// A residual network of so many blocks, as a ChipGraph by itself: y = y +
// relu(y . w).
TEST(FuseRules, AGraphOf100000NodesIsNoTrouble) {
  constexpr int kBlocks = 33334;
  ChipGraph graph;
  const auto add = [&](ValueType type, std::int32_t node) {
    graph.values.push_back({.type = std::move(type), .node = node});
    return static_cast<ChipValueId>(graph.values.size()) - 1;
  };
  const ValueType row{DType::kFloat32, WithBatch({{256}})};
  const ChipValueId w = add({DType::kFloat32, {{256, 256}}}, kNoChipNode);
  graph.values[w].kind = ChipValueKind::kWeight;
  ChipValueId y = add(row, kNoChipNode);
  graph.values[y].kind = ChipValueKind::kInput;
  const auto apply = [&](OpCode op, std::vector<ChipValueId> operands) {
    const ChipValueId result =
        add(row, static_cast<std::int32_t>(graph.nodes.size()));
    graph.nodes.push_back({op, std::move(operands), {result}, {}});
    return result;
  };
  for (int i = 0; i < kBlocks; ++i)
    y = apply(OpCode::kAdd,
              {y, apply(OpCode::kRelu, {apply(OpCode::kMatMul, {y, w})})});
  graph.values[y].kind = ChipValueKind::kOutput;
  const ChipProgram program = FuseForChip(graph, FactsOf(graph), {.rows = 128});
  ASSERT_EQ(program.kernels.size(), static_cast<std::size_t>(kBlocks));
  // y, w and y again, which is read once.
  EXPECT_EQ(program.kernels.back().hbm_bytes(),
            4.0 * (128 * 256 + 256 * 256 + 128 * 256));
}

}  // namespace
}  // namespace podsim
