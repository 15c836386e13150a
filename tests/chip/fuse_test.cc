// What runs together on a chip, and what that moves: small models, one rule
// each, by hand. 128 examples a core; float32 takes 4 bytes, [128, 256] so
// 131,072, [128, 128] 65,536; a vector of up to 256 one tile, 1,024.
#include "chip/fuse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/layers/embedding.h"
#include "tests/chip/chip_cases.h"

namespace podsim {
namespace {

using testing::Chip;
using ::testing::ElementsAre;
using testing::Fold;
using testing::Fused;
using testing::Lines;
using testing::Op;
using testing::OpsIn;
using ::testing::SizeIs;
using testing::SpreadLast;
using testing::Times;

Value Input(Graph& g, const char* name, std::int64_t width) {
  return g.Input(name, DType::kFloat32, {{width}});
}

// relu(features [B, 128] . w + b).
Value DenseLayer(Graph& g) {
  const Value product = Times(g, g.Features({{128}}), 256, "product");
  const Value bias = g.Variable("b", {{256}}, Initializer::kZeros);
  return g.Relu(g.AddBias(product, bias, "sum"), "h");
}

TEST(FuseForChip, BiasAndReluAreTheProductsEpilogue) {
  Graph g("dense");
  const Value h = DenseLayer(g);
  const Chip chip =
      Fused(testing::Evaluating(g, {h}), EntryPoint::kEval, {.rows = 128});
  EXPECT_THAT(Lines(chip), ElementsAre("product: product/w 131072 + b 1024 + "
                                       "features 65536 -> h 131072"));
  const ChipKernel& kernel = chip.program.kernels.at(0);
  EXPECT_EQ(kernel.kind, ChipKernelKind::kProduct);
  EXPECT_THAT(OpsIn(chip, 0), ElementsAre("MatMul", "AddBias", "Relu"));
  ASSERT_THAT(kernel.products, SizeIs(1));
  EXPECT_EQ(kernel.products[0].m, 128);
  EXPECT_EQ(kernel.products[0].n, 256);
  EXPECT_EQ(kernel.products[0].k, 128);
  EXPECT_EQ(kernel.products[0].multiply_adds, 128.0 * 256 * 128);
  EXPECT_TRUE(kernel.products[0].rounds);
  EXPECT_EQ(kernel.matrix_flops, 2.0 * 128 * 256 * 128);
}

// The loss is the sum of h^2. What the bias's gradient needs is at hand where h
// is made; the weight's product makes dh of h and the loss's weights.
TEST(FuseForChip, ATrainingStepOfADenseLayer) {
  Graph g("dense");
  const Value h = DenseLayer(g);
  const Value loss =
      Fold(g, Op(g, "multiply", {h, h}, "square"), "add", {1}, "loss");
  const Chip chip = Fused(testing::Training(g, loss),
                          EntryPoint::kTrainMicrobatch, {.rows = 128});
  EXPECT_THAT(
      Lines(chip),
      ElementsAre("product: product/w 131072 + b 1024 + features 65536 + "
                  "weights 1024 -> h 131072 + loss 1024 + sum/grad_bias 1024",
                  "product/grad_weight: features 65536 + h 131072 + "
                  "weights 1024 -> product/grad_weight 131072",
                  "b: b 1024 + sum/grad_bias 1024 -> b 1024",
                  "product/w: product/w 131072 + product/grad_weight 131072 "
                  "-> product/w 131072"));
  ASSERT_THAT(chip.program.collectives, SizeIs(1));
  const ChipCollective& bucket = chip.program.collectives[0];
  EXPECT_EQ(bucket.bucket, 0);
  EXPECT_EQ(bucket.bytes, 4.0 * (128 * 256 + 256));
  EXPECT_EQ(bucket.ready, 1);
  EXPECT_EQ(bucket.needed, 2);
}

// relu(a * scale + shortcut) [B, 256], read by so many products.
Program ReadByProducts(int products, bool shortcut) {
  Graph g("readers");
  const Value a = Input(g, "a", 256);
  const Value scale = g.Variable("scale", {{256}}, Initializer::kOnes);
  Value y = Op(g, "multiply", {a, SpreadLast(g, scale, a, "spread")}, "scaled");
  if (shortcut) y = g.Add(y, Input(g, "s", 256), "sum");
  y = g.Relu(y, "y");
  std::vector<Value> results;
  for (int i = 0; i < products; ++i)
    results.push_back(Times(g, y, 128, absl::StrCat("p", i)));
  return testing::Evaluating(g, results);
}

// Recomputed it costs a, s and the scale three times, 789,504 bytes; stored it
// costs them once, is written once and read three times: 787,456.
TEST(FuseForChip, StoresWhatManyKernelsReadIfThatMovesLess) {
  EXPECT_THAT(
      Lines(Fused(ReadByProducts(3, true), EntryPoint::kEval, {.rows = 128})),
      ElementsAre("y: scale 1024 + a 131072 + s 131072 -> y 131072",
                  "p0: p0/w 131072 + y 131072 -> p0 65536",
                  "p1: p1/w 131072 + y 131072 -> p1 65536",
                  "p2: p2/w 131072 + y 131072 -> p2 65536"));
}

TEST(FuseForChip, TwoReadersComputeItAgain) {
  EXPECT_THAT(
      Lines(Fused(ReadByProducts(2, true), EntryPoint::kEval, {.rows = 128})),
      ElementsAre(
          "p0: scale 1024 + p0/w 131072 + a 131072 + s 131072 -> p0 65536",
          "p1: scale 1024 + p1/w 131072 + a 131072 + s 131072 -> p1 65536"));
}

// Reading y would move as much as reading a.
TEST(FuseForChip, WhatComesFromOneTensorIsComputedAgain) {
  const Chip chip =
      Fused(ReadByProducts(3, false), EntryPoint::kEval, {.rows = 128});
  EXPECT_THAT(
      Lines(chip),
      ElementsAre("p0: scale 1024 + p0/w 131072 + a 131072 -> p0 65536",
                  "p1: scale 1024 + p1/w 131072 + a 131072 -> p1 65536",
                  "p2: scale 1024 + p2/w 131072 + a 131072 -> p2 65536"));
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_THAT(OpsIn(chip, i),
                ElementsAre("broadcast_in_dim", "multiply", "Relu", "MatMul"));
}

// m = a + b > s would take a quarter of a tensor, three kernels read it, and it
// is made of three tensors.
TEST(FuseForChip, MasksAreComputedAgain) {
  Graph g("masks");
  const Value a = Input(g, "a", 256);
  const Value sum = g.Add(a, Input(g, "b", 256), "sum");
  OpAttributes above;
  above.word = "GT";
  const Value s = Input(g, "s", 256);
  const Value mask = Op(g, "compare", {sum, s}, "mask", above);
  std::vector<Value> results;
  for (int i = 0; i < 3; ++i) {
    OpAttributes number;
    number.value = i;
    number.shape = g.type(a).shape;
    const Value other = Op(g, "constant", {}, "number", number);
    const Value chosen = Op(g, "select", {mask, a, other}, "chosen");
    results.push_back(Times(g, chosen, 128, absl::StrCat("p", i)));
  }
  EXPECT_THAT(
      Lines(Fused(testing::Evaluating(g, results), EntryPoint::kEval,
                  {.rows = 128})),
      ElementsAre(
          "p0: p0/w 131072 + a 131072 + b 131072 + s 131072 -> p0 65536",
          "p1: p1/w 131072 + a 131072 + b 131072 + s 131072 -> p1 65536",
          "p2: p2/w 131072 + a 131072 + b 131072 + s 131072 -> p2 65536"));
}

// Rounded to bfloat16 by the function, a product's result is stored so, also
// where its readers want it in float32.
TEST(FuseForChip, AProductsResultIsWrittenAsTheFunctionRoundsIt) {
  Graph g("bfloat16");
  const auto convert = [&](Value x, DType dtype, const char* name) {
    OpAttributes attributes;
    attributes.dtype = dtype;
    return Op(g, "convert", {x}, name, attributes);
  };
  const Value y = Times(g, g.Features({{128}}), 256, "y");
  const Value rounded = convert(y, DType::kBFloat16, "rounded");
  const Value wide = convert(rounded, DType::kFloat32, "wide");
  const Program program = testing::Evaluating(
      g, {Times(g, wide, 128, "p0"), Times(g, wide, 128, "p1")});
  EXPECT_THAT(Lines(Fused(program, EntryPoint::kEval, {.rows = 128})),
              ElementsAre("y: y/w 131072 + features 65536 -> rounded 65536",
                          "p0: p0/w 131072 + rounded 65536 -> p0 65536",
                          "p1: p1/w 131072 + rounded 65536 -> p1 65536"));
}

// Two sums over a batch, of dy and of dy * x: one loop.
TEST(FuseForChip, FoldsOverTheSameTensorsAreOneLoop) {
  Graph g("folds");
  const Value dy = Input(g, "dy", 256);
  const Value x = Input(g, "x", 256);
  const Value bias = Fold(g, dy, "add", {0}, "bias");
  const Value scale =
      Fold(g, Op(g, "multiply", {dy, x}, "product"), "add", {0}, "scale");
  const Chip chip = Fused(testing::Evaluating(g, {bias, scale}),
                          EntryPoint::kEval, {.rows = 128});
  EXPECT_THAT(Lines(chip), ElementsAre("bias: dy 131072 + x 131072 -> "
                                       "bias 1024 + scale 1024"));
  EXPECT_EQ(chip.program.kernels[0].kind, ChipKernelKind::kLoop);
}

// x [B, 512] in two halves: together they are x, one alone is half of it.
TEST(FuseForChip, ASliceIsReadForItsShare) {
  Graph g("slices");
  const Value x = Input(g, "x", 512);
  const auto half = [&](std::int64_t start) {
    OpAttributes attributes;
    attributes.lists = {{"start_indices", {0, start}},
                        {"limit_indices", {1, start + 256}},
                        {"strides", {1, 1}}};
    return Op(g, "slice", {x}, "half", attributes);
  };
  const Value first = half(0);
  const Value gated = Op(g, "multiply", {first, half(256)}, "gated");
  const Program program = testing::Evaluating(
      g, {Times(g, gated, 128, "p0"), Times(g, first, 128, "p1")});
  EXPECT_THAT(Lines(Fused(program, EntryPoint::kEval, {.rows = 128})),
              ElementsAre("p0: p0/w 131072 + x 262144 -> p0 65536",
                          "p1: p1/w 131072 + x 131072 -> p1 65536"));
}

// 8 examples of 4 ids: [8, 4, 128] takes 16,384 bytes, the table of 1,000 rows
// 512,000, the ids 2,048 (4 sublanes x 128 lanes).
TEST(FuseForChip, GathersAndScattersMoveTheRowsThatTheyTouch) {
  Graph g("embedding");
  const Value ids = g.Input("ids", DType::kInt32, {{4}});
  const Value rows = Embedding(g, "table", ids, 1000, 128);
  const Value loss = Fold(g, rows, "add", {1, 2}, "loss");
  EXPECT_THAT(Lines(Fused(testing::Training(g, loss),
                          EntryPoint::kTrainMicrobatch, {.rows = 8})),
              ElementsAre(  // Adds 32 rows into zeros, whatever the loss is.
                  "table/gather/grad: ids 2048 + weights 1024 + "
                  "table/gather/grad 16384 -> table/gather/grad 512000 + "
                  "table/gather/grad 16384",
                  "table/gather: table 16384 + ids 2048 -> table/gather 16384",
                  "loss: table/gather 16384 -> loss 1024",
                  "table: table 512000 + table/gather/grad 512000 -> "
                  "table 512000"));
}

TEST(FuseForChip, AnUpdateReadsAndWritesWeightAndSlots) {
  const auto update = [](const char* rule) {
    Graph g("update");
    const Value y = Times(g, g.Features({{128}}), 256, "y");
    const Program program = testing::Training(g, Fold(g, y, "add", {1}, "loss"),
                                              testing::UpdateBy(rule));
    return Lines(Fused(program, EntryPoint::kTrainMicrobatch, {.rows = 128}))
        .back();
  };
  EXPECT_EQ(update("adam"),
            "y/w/mu: y/w 131072 + y/w/mu 131072 + y/w/nu 131072 + "
            "y/grad_weight 131072 -> y/w/mu 131072 + y/w/nu 131072 + "
            "y/w 131072");
  // Its direction waits for norms in the gradient's place, and is read again
  // together with the weight.
  EXPECT_EQ(update("lamb"),
            "y/w/mu: y/w 131072 + y/w/mu 131072 + y/w/nu 131072 + "
            "y/grad_weight 131072 + y/grad_weight 131072 + y/w 131072 -> "
            "y/w/mu 131072 + y/w/nu 131072 + y/w 131072 + "
            "y/grad_weight 131072");
}

// With clipping the update reads the gradient scaled, by what one small kernel
// makes of the norm.
TEST(FuseForChip, ClippingReadsTheGradientTwice) {
  Graph g("clip");
  const Value y = Times(g, g.Features({{128}}), 256, "y");
  CompileOptions options;
  options.clip_norm = 1;
  const std::vector<std::string> lines =
      Lines(Fused(testing::Training(g, Fold(g, y, "add", {1}, "loss"), options),
                  EntryPoint::kTrainMicrobatch, {.rows = 128}));
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_EQ(lines[2],
            "y/grad_weight/norm: y/grad_weight 131072 -> "
            "y/grad_weight/norm 1024");
  EXPECT_EQ(lines[3],
            "y/w: y/w 131072 + y/grad_weight 131072 + "
            "y/grad_weight/norm 1024 -> y/w 131072");
}

// A sum of twenty inputs: stored where it has seventeen.
TEST(FuseForChip, LongFrontiersAreCut) {
  Graph g("long");
  Value sum = Input(g, "x0", 128);
  for (int i = 1; i < 20; ++i)
    sum = g.Add(sum, Input(g, absl::StrCat("x", i).c_str(), 128), "sum");
  const Chip chip =
      Fused(testing::Evaluating(g, {sum}), EntryPoint::kEval, {.rows = 128});
  ASSERT_THAT(chip.program.kernels, SizeIs(2));
  EXPECT_THAT(chip.program.kernels[0].reads, SizeIs(17));
  EXPECT_THAT(chip.program.kernels[1].reads, SizeIs(4));
}

// 150 ops in a row: what the first 101 make is stored.
TEST(FuseForChip, LongChainsAreCut) {
  Graph g("long");
  Value y = Input(g, "x", 128);
  for (int i = 0; i < 150; ++i) y = Op(g, "tanh", {y}, "y");
  const Chip chip = Fused(testing::Evaluating(g, {Times(g, y, 128, "p")}),
                          EntryPoint::kEval, {.rows = 128});
  EXPECT_THAT(Lines(chip), ElementsAre("y: x 65536 -> y 65536",
                                       "p: p/w 65536 + y 65536 -> p 65536"));
  EXPECT_THAT(OpsIn(chip, 0), SizeIs(101));
  EXPECT_THAT(OpsIn(chip, 1), SizeIs(49 + 1));
}

// The gradient is the last in the graph; what it is made of waits for nobody.
TEST(FuseForChip, AGradientIsMadeAsSoonAsItCanBe) {
  Graph g("late");
  const Value h = Times(g, g.Features({{128}}), 256, "h");
  const Value y = Times(g, h, 128, "y");
  const Value z = Times(g, h, 512, "z");
  ChipGraph graph =
      ChipGraphOf(testing::Evaluating(g, {y, z}), EntryPoint::kEval);
  const auto mains = [&] {
    std::vector<std::string> names;
    const ChipProgram program =
        FuseForChip(graph, FactsOf(graph), {.rows = 128});
    for (const ChipKernel& kernel : program.kernels)
      names.push_back(graph.value(graph.node(kernel.main).results[0]).name);
    return names;
  };
  EXPECT_EQ(mains(), (std::vector<std::string>{"h", "y", "z"}));
  for (ChipValue& value : graph.values)
    if (value.name == "z") value.kind = ChipValueKind::kGradient;
  EXPECT_EQ(mains(), (std::vector<std::string>{"h", "z", "y"}));
}

}  // namespace
}  // namespace podsim
