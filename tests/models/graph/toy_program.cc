#include "tests/models/graph/toy_program.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace podsim::testing {

Toy::Toy() {
  Value x = g.Reshape(g.Features({{3, 4}}), {{12}});
  const std::int64_t widths[] = {7, 6, 4};
  std::int64_t from = 12;
  for (int i = 0; i < 3; ++i) {
    const std::string name = "layer_" + std::to_string(i);
    const Value w = g.Variable(name + "/w", {{from, widths[i]}},
                               Initializer::kGlorotUniform);
    const Value b = g.Variable(name + "/b", {{widths[i]}}, Initializer::kZeros);
    layers.push_back({x, w, b});
    x = g.AddBias(g.MatMul(x, w, name + "/matmul"), b, name + "/sum");
    if (i < 2) x = g.Relu(x, name + "/relu");
    from = widths[i];
  }
  const auto head = g.SoftmaxXent(x, g.Labels(), "xent");
  prob = head.prob;
  input.loss = head.loss;
  input.correct = head.correct;
  input.weights = g.ExampleWeights();
  input.update = NoUpdate;
}

void Toy::BringGradients() {
  Value dy = g.Apply(OpCode::kSoftmaxXentGrad,
                     {prob, g.Labels(), g.ExampleWeights()})[0];
  std::vector<VariableValue> made;  // the last variable's first
  for (std::size_t i = layers.size(); i-- > 0;) {
    const Layer& layer = layers[i];
    const Value dw = g.Apply(OpCode::kMatMulGradWeight, {layer.x, dy})[0];
    const Value db = g.Apply(OpCode::kBiasGrad, {dy})[0];
    made.push_back({layer.b, db});
    made.push_back({layer.w, dw});
    if (i == 0) break;
    const Value dx = g.Apply(OpCode::kMatMulGradInput, {dy, layer.w})[0];
    dy = g.Apply(OpCode("ReluGrad"), {dx, layer.x})[0];
  }
  input.gradients.assign(made.rbegin(), made.rend());
}

Program CompileOwnToy(const CompileOptions& options) {
  Toy toy;
  toy.BringGradients();
  auto program = Compile(toy.g, toy.input, options);
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

Program CompileToy(const CompileOptions& options) {
  Toy toy;
  auto program = Compile(toy.g, toy.input, options);
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

absl::Status NoUpdate(const CompileOptions& /*options*/, Program& /*program*/) {
  return absl::OkStatus();
}

std::vector<Instruction> InstructionsOf(const Program& program,
                                        EntryPoint entry) {
  std::vector<Instruction> all;
  for (const Segment& segment : program.entries.at(entry))
    all.insert(all.end(), segment.instructions.begin(),
               segment.instructions.end());
  return all;
}

}  // namespace podsim::testing
