// What the chip holds between ops, against sums made by hand.
#include "host/core/chip_activations.h"

#include <gtest/gtest.h>

#include "host/core/made_again.h"
#include "models/graph/compile.h"
#include "models/optimizer/optimizer.h"
#include "models/zoo/zoo.h"

namespace podsim {
namespace {

Program MlpOfLayers(const std::vector<int>& hidden, bool bfloat16) {
  ModelConfig config;
  config.set_name("mlp");
  config.add_example_shape(100);
  for (const int width : hidden) config.add_hidden(width);
  config.set_classes(10);
  auto program = BuildProgram(config, {.bfloat16_products = bfloat16});
  EXPECT_TRUE(program.ok());
  return *std::move(program);
}

TEST(ChipActivationsTest, AreWhatBackwardStillReads) {
  // Fullest where the hidden layer's gradient is made: the layer (its ReLU is
  // asked again), that gradient, the logits' gradient it comes from; loss and
  // correct of each row.
  const ChipActivations one = ActivationsOf(MlpOfLayers({512}, false));
  EXPECT_EQ(one.elements_per_row, 2 * 512 + 10 + 2);
  EXPECT_EQ(one.elements, 0);
  // Two layers: where the second one's gradient stands the first one waits.
  EXPECT_EQ(ActivationsOf(MlpOfLayers({64, 512}, false)).elements_per_row,
            64 + 2 * 512 + 10 + 2);
  // Logistic regression: the probabilities and their gradient.
  EXPECT_EQ(ActivationsOf(MlpOfLayers({}, false)).elements_per_row, 2 * 10 + 2);
}

TEST(ChipActivationsTest, RoundingIsPartOfTheProductThatReads) {
  for (const auto& hidden : {std::vector<int>{512}, {64, 512}, {512, 64}})
    EXPECT_EQ(ActivationsOf(MlpOfLayers(hidden, true)).elements_per_row,
              ActivationsOf(MlpOfLayers(hidden, false)).elements_per_row);
}

TEST(ChipActivationsTest, AProgramWithoutAStepHoldsNothing) {
  EXPECT_EQ(ActivationsOf(Program()).elements_per_row, 0);
}

// The loss is the sum of h * h and tanh(h) of h = x . w, each element of which
// backward reads again.
Program SquareAndTanh() {
  Graph graph("held");
  const Value x = graph.Input("x", DType::kFloat32, {{8}});
  const Value w = graph.Variable("w", {{8, 16}}, Initializer::kGlorotUniform);
  const Value h = graph.MatMul(x, w, "h");
  const auto apply = [&](const char* op, std::vector<Value> in) {
    OpAttributes attributes;
    if (OpCode(op) == OpCode("reduce")) {
      attributes.word = "add";
      attributes.lists["dimensions"] = {1};
    }
    return graph.Apply(OpCode(op), std::move(in), std::move(attributes), op)[0];
  };
  const Value squares = apply("multiply", {h, h});
  const Value both = apply("add", {squares, apply("tanh", {h})});
  CompileInput input;
  input.loss = apply("reduce", {both});
  input.update = Optimizer;
  const auto program = Compile(graph, input, {.bfloat16_products = false});
  EXPECT_TRUE(program.ok()) << program.status();
  return program.value_or(Program());
}

TEST(HeldForTest, WhatAReaderCanMakeInPassingIsNotHeld) {
  const Program program = SquareAndTanh();
  std::vector<const Instruction*> step;
  for (const Segment& segment :
       program.entries.at(EntryPoint::kTrainMicrobatch))
    for (const Instruction& instruction : segment.instructions)
      step.push_back(&instruction);
  const auto held = HeldFor(program, step);
  const auto held_for = [&](const char* name) {
    return held[FindTensor(program, name)];
  };
  const TensorId h = FindTensor(program, "h");
  const TensorId tanh = FindTensor(program, "tanh");
  EXPECT_EQ(held_for("h"), std::vector{h});
  EXPECT_EQ(held_for("multiply"), std::vector{h});
  EXPECT_EQ(held_for("tanh"), std::vector{tanh}) << "twice a tanh is dear";
  EXPECT_EQ(held_for("add"), (std::vector{h, tanh}));
  EXPECT_TRUE(held_for("x").empty());
  // h, tanh(h), the gradient by h, and the loss.
  EXPECT_EQ(ActivationsOf(program).elements_per_row, 3 * 16 + 1);
}

}  // namespace
}  // namespace podsim
