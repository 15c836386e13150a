// What runs together on a chip around products: norms, softmax, dropout, by
// hand. Float32 takes 4 bytes; a vector of up to 256 one tile, 1,024.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "chip/fuse.h"
#include "models/composites/attention.h"
#include "models/composites/dropout.h"
#include "models/composites/expr.h"
#include "models/layers/convolution.h"
#include "models/layers/norm.h"
#include "tests/chip/chip_cases.h"

namespace podsim {
namespace {

using testing::Chip;
using ::testing::ElementsAre;
using testing::Fold;
using testing::Fused;
using testing::Lines;
using testing::OpsIn;
using ::testing::SizeIs;
using testing::Times;

// Batch norm as flax computes it: the variance is the mean of squares less the
// mean's square, so that neither sum waits for the other. Over all dimensions
// but the last, `count` elements a core.
Value FastBatchNorm(Graph& g, Value z, double count, const std::string& name) {
  const Expr x(g, z, name);
  const std::int64_t features = x.shape().dims.back();
  const Expr scale =
      x.With(g.Variable(name + "/scale", {{features}}, Initializer::kOnes));
  const Expr bias =
      x.With(g.Variable(name + "/bias", {{features}}, Initializer::kZeros));
  const Dims over = OtherDims(x.rank(), {x.rank() - 1});
  const Expr mean = x.Sum(over) * (1 / count);
  const Expr variance = (x * x).Sum(over) * (1 / count) - mean * mean;
  const Expr factor = (variance + 1e-5).Apply("rsqrt") * scale;
  const Expr shift = bias - mean * factor;
  return (x * factor.SpreadOver(x, over) + shift.SpreadOver(x, over)).value();
}

// 8 images [8, 8, 128] take 262,144 bytes, kernels [3, 3, 128, 128] 589,824.
Value Convolved(Graph& g, const char* name, Value x) {
  return Conv2D(g, name, x, 128, SameWindow(3), Activation::kNone);
}

// Both sums ride in the first convolution's epilogue; the second one reads the
// first one's result, normalizes it and cuts it at zero in passing.
TEST(FuseForChip, ConvolutionBatchNormAndRelu) {
  Graph g("convolutions");
  const Value z = Convolved(g, "c1", g.Features({{8, 8, 128}}));
  const Value y = g.Relu(FastBatchNorm(g, z, 512, "norm"), "y");
  const Program program = testing::Evaluating(g, {Convolved(g, "c2", y)});
  EXPECT_THAT(
      Lines(Fused(program, EntryPoint::kEval, {.rows = 8})),
      ElementsAre("c1/convolution: c1/kernel 589824 + c1/bias 1024 + "
                  "features 262144 -> c1/add 262144 + norm/reduce 1024 + "
                  "norm/reduce 1024",
                  "c2/convolution: norm/scale 1024 + norm/bias 1024 + "
                  "c2/kernel 589824 + c2/bias 1024 + c1/add 262144 + "
                  "norm/reduce 1024 + norm/reduce 1024 -> c2/add 262144"));
}

// Of squares of x - mean, the second sum waits for the first: a loop. How many
// elements are summed is known beforehand.
TEST(FuseForChip, AVarianceAroundTheMeanIsALoop) {
  Graph g("convolutions");
  const Value z = Convolved(g, "c1", g.Features({{8, 8, 128}}));
  const Program program =
      testing::Evaluating(g, {Convolved(g, "c2", BatchNorm(g, "norm", z))});
  EXPECT_THAT(
      Lines(Fused(program, EntryPoint::kEval, {.rows = 8})),
      ElementsAre("c1/convolution: c1/kernel 589824 + c1/bias 1024 + "
                  "features 262144 -> c1/add 262144 + norm/reduce 1024",
                  "norm/reduce: c1/add 262144 + norm/reduce 1024 -> "
                  "norm/reduce 1024",
                  "c2/convolution: norm/scale 1024 + norm/bias 1024 + "
                  "c2/kernel 589824 + c2/bias 1024 + c1/add 262144 + "
                  "norm/reduce 1024 + norm/reduce 1024 -> c2/add 262144"));
}

// Backward, too, all that is as large as an activation moves through the five
// products: the gradient of the ReLU and the norm's two sums over it ride in
// the epilogue of the second layer's, and the first layer's weight reads what
// the norm makes of it in passing.
TEST(FuseForChip, BatchNormBackwardRidesInProducts) {
  Graph g("dense");
  const Value z = Times(g, g.Features({{128}}), 256, "z");
  const Value y = g.Relu(FastBatchNorm(g, z, 128, "norm"), "y");
  const Value top = Times(g, y, 128, "top");
  const Value loss = Fold(g, testing::Op(g, "multiply", {top, top}, "square"),
                          "add", {1}, "loss");
  const Chip chip = Fused(testing::Training(g, loss),
                          EntryPoint::kTrainMicrobatch, {.rows = 128});
  int products = 0;
  for (const ChipKernel& kernel : chip.program.kernels) {
    products += kernel.kind == ChipKernelKind::kProduct ? 1 : 0;
    if (kernel.kind == ChipKernelKind::kLoop) {
      EXPECT_LT(kernel.hbm_bytes(), 20 * 1024);
    }
  }
  EXPECT_EQ(products, 5);
  const auto input_gradient = std::find_if(
      chip.program.kernels.begin(), chip.program.kernels.end(),
      [&](const ChipKernel& kernel) {
        return chip.graph.node(kernel.main).op == OpCode::kMatMulGradInput;
      });
  ASSERT_NE(input_gradient, chip.program.kernels.end());
  // The ReLU's gradient and the sums for scale and bias, per core.
  ASSERT_THAT(input_gradient->writes, SizeIs(3));
  EXPECT_EQ(input_gradient->writes[0].bytes, 131072);
  EXPECT_EQ(input_gradient->writes[1].bytes, 1024);
  EXPECT_EQ(input_gradient->writes[2].bytes, 1024);
}

// The mean rides in the product's epilogue; the variance waits for it, and what
// is normalized for both.
TEST(FuseForChip, LayerNormNeedsTheWholeProduct) {
  Graph g("layer_norm");
  const Value p = Times(g, g.Features({{128}}), 256, "p");
  const Program program = testing::Evaluating(g, {LayerNorm(g, "norm", p)});
  EXPECT_THAT(
      Lines(Fused(program, EntryPoint::kEval, {.rows = 128})),
      ElementsAre("p: p/w 131072 + features 65536 -> p 131072 + "
                  "norm/reduce 1024",
                  "norm/reduce: p 131072 + norm/reduce 1024 -> "
                  "norm/reduce 1024",
                  "norm/add: norm/scale 1024 + norm/bias 1024 + p 131072 + "
                  "norm/reduce 1024 + norm/reduce 1024 -> norm/add 131072"));
}

// 8 examples, one head, 128 queries and keys of 128: queries, keys, values and
// scores take 524,288 bytes each, a number a query 4,096. The largest score
// rides with the scores; the sum of exponentials waits for it; both are
// computed from the scores once more where the values are mixed.
TEST(FuseForChip, SoftmaxReadsScoresTwice) {
  Graph g("attention");
  const auto input = [&](const char* name) {
    return g.Input(name, DType::kFloat32, {{128, 128}});
  };
  const Value q = input("q");
  const Value k = input("k");
  const Value v = input("v");
  const Value mixed = Attention(g, q, k, v, /*heads=*/1, kNone, "a");
  const Chip chip =
      Fused(testing::Evaluating(g, {mixed}), EntryPoint::kEval, {.rows = 8});
  EXPECT_THAT(
      Lines(chip),
      ElementsAre("a/dot_general: q 524288 + k 524288 -> a/multiply 524288 + "
                  "a/reduce 4096",
                  "a/reduce: a/multiply 524288 + a/reduce 4096 -> "
                  "a/reduce 4096",
                  "a/dot_general: a/multiply 524288 + a/reduce 4096 + "
                  "a/reduce 4096 + v 524288 -> a/transpose 524288"));
  EXPECT_THAT(OpsIn(chip, 1), ElementsAre("broadcast_in_dim", "subtract",
                                          "exponential", "reduce"));
  EXPECT_THAT(
      OpsIn(chip, 2),
      ElementsAre("broadcast_in_dim", "subtract", "exponential",
                  "broadcast_in_dim", "divide", "dot_general", "transpose"));
  const ChipKernel& mix = chip.program.kernels.at(2);
  EXPECT_EQ(mix.transcendentals, 8.0 * 128 * 128) << "for a second time";
  ASSERT_THAT(mix.products, SizeIs(1));
  EXPECT_EQ(mix.products[0].count, 8);
  EXPECT_EQ(mix.products[0].m, 128);
}

// The mask is a byte an element and is made once of random bits; forward it is
// read where p1 is made, backward where the gradient of what is dropped is.
TEST(FuseForChip, DropoutStoresItsMask) {
  Graph g("dropout");
  const Value p1 = Times(g, g.Features({{128}}), 256, "p1");
  const Value p2 = Times(g, Dropout(g, p1, 0.5, "drop"), 128, "p2");
  const Chip chip = Fused(testing::Training(g, Fold(g, p2, "add", {1}, "loss")),
                          EntryPoint::kTrainMicrobatch, {.rows = 128});
  EXPECT_THAT(
      Lines(chip),
      ElementsAre(
          "drop/compare: keys 1024 -> drop/compare 32768",
          "p1: p1/w 131072 + features 65536 + drop/compare 32768 -> "
          "drop/select 131072",
          "p2/grad_weight: drop/select 131072 + weights 1024 -> "
          "p2/grad_weight 131072",
          "p2: p2/w 131072 + drop/select 131072 -> loss 1024",
          "p2/grad_input: p2/w 131072 + drop/compare 32768 + weights 1024 -> "
          "drop/multiply/grad 131072",
          "p1/grad_weight: features 65536 + drop/multiply/grad 131072 -> "
          "p1/grad_weight 131072",
          "p2/w: p2/w 131072 + p2/grad_weight 131072 -> p2/w 131072",
          "p1/w: p1/w 131072 + p1/grad_weight 131072 -> p1/w 131072"));
  EXPECT_THAT(OpsIn(chip, 0),
              ElementsAre("random_bits", "constant", "compare"));
}

}  // namespace
}  // namespace podsim
