#include "tests/chip/chip_cases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "models/optimizer/optimizer.h"
#include "models/rules/update_rules.h"
#include "models/zoo/zoo.h"

namespace podsim::testing {

Value Op(Graph& graph, const char* op, std::vector<Value> inputs,
         const std::string& name, OpAttributes attributes) {
  return graph.Apply(OpCode(op), std::move(inputs), std::move(attributes),
                     name)[0];
}

Value Fold(Graph& graph, Value x, const char* word,
           std::vector<std::int64_t> dimensions, const std::string& name) {
  OpAttributes attributes;
  attributes.word = word;
  attributes.lists["dimensions"] = std::move(dimensions);
  return Op(graph, "reduce", {x}, name, std::move(attributes));
}

Value SpreadLast(Graph& graph, Value vector, Value x, const std::string& name) {
  OpAttributes attributes;
  attributes.shape = graph.type(x).shape;
  attributes.lists["broadcast_dimensions"] = {attributes.shape.rank() - 1};
  return Op(graph, "broadcast_in_dim", {vector}, name, std::move(attributes));
}

Value Times(Graph& graph, Value x, std::int64_t width,
            const std::string& name) {
  const Value w =
      graph.Variable(name + "/w", {{graph.type(x).shape.dims.back(), width}},
                     Initializer::kGlorotUniform);
  return graph.MatMul(x, w, name);
}

CompileOptions UpdateBy(const std::string& rule) {
  CompileOptions options;
  options.rule = rule;
  options.rule_settings = FindUpdateRule(rule)->info.defaults;
  return options;
}

Program Evaluating(const Graph& graph, std::vector<Value> results) {
  CompileInput input;
  input.results = std::move(results);
  auto program = Compile(graph, input, {});
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *std::move(program) : Program();
}

Program Training(const Graph& graph, Value loss,
                 const CompileOptions& options) {
  CompileInput input;
  input.loss = loss;
  // Of sums over several cores there is no evaluation.
  input.loss_passes = MetricPasses::kTraining;
  input.update = Optimizer;
  auto program = Compile(graph, input, options);
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *std::move(program) : Program();
}

Chip Fused(const Program& program, EntryPoint entry,
           const FuseOptions& options) {
  Chip chip;
  chip.graph = ChipGraphOf(program, entry);
  chip.program = FuseForChip(chip.graph, FactsOf(chip.graph), options);
  return chip;
}

Chip TwoLayers(double on_chip_bytes) {
  Graph g("layers");
  const Value h = g.Relu(Times(g, g.Features({{128}}), 256, "a"), "h");
  const Value b = Times(g, h, 128, "b");
  const Value loss =
      Fold(g, Op(g, "multiply", {b, b}, "square"), "add", {1}, "loss");
  return Fused(Training(g, loss, UpdateBy("momentum")),
               EntryPoint::kTrainMicrobatch,
               {.rows = 128, .on_chip_bytes = on_chip_bytes});
}

Program ZooModel(const std::string& name, const std::vector<int>& shape,
                 const CompileOptions& options) {
  ModelConfig config;
  config.set_name(name);
  for (const int dim : shape) config.add_example_shape(dim);
  if (name == "mlp") config.add_hidden(512);
  config.set_classes(10);
  auto program = BuildProgram(config, options);
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *std::move(program) : Program();
}

namespace {

std::string TextOf(const ChipGraph& graph,
                   const std::vector<ChipTransfer>& transfers) {
  return absl::StrJoin(transfers, " + ",
                       [&](std::string* out, const ChipTransfer& each) {
                         absl::StrAppend(out, graph.value(each.value).name, " ",
                                         std::llround(each.bytes));
                       });
}

}  // namespace

std::vector<std::string> Lines(const Chip& chip) {
  std::vector<std::string> lines;
  for (const ChipKernel& kernel : chip.program.kernels) {
    const ChipNode& main = chip.graph.node(kernel.main);
    lines.push_back(absl::StrCat(chip.graph.value(main.results[0]).name, ": ",
                                 TextOf(chip.graph, kernel.reads), " -> ",
                                 TextOf(chip.graph, kernel.writes)));
  }
  return lines;
}

std::vector<std::string> OpsIn(const Chip& chip, std::size_t index) {
  std::vector<std::string> ops;
  for (const std::int32_t node : chip.program.kernels.at(index).nodes)
    ops.emplace_back(chip.graph.node(node).op.name());
  return ops;
}

double BytesMoved(const Chip& chip) {
  double bytes = 0;
  for (const ChipKernel& kernel : chip.program.kernels)
    bytes += kernel.hbm_bytes();
  return bytes;
}

}  // namespace podsim::testing
