// A convolution and its two gradients multiply the same pairs of elements: what
// the shapes of a gradient hold besides is zeros.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/ops/convolution_parts.h"
#include "models/ops/op_table.h"
#include "models/ops/rules.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

constexpr OpCode kConvolution("convolution");

// Keeps the types of what is applied, and the products of convolutions.
class ProductCounter final : public GradientBuilder {
 public:
  explicit ProductCounter(std::int64_t rows) : rows_(rows) {}

  Value Add(ValueType type) {
    types_.push_back(std::move(type));
    return {static_cast<std::int32_t>(types_.size()) - 1};
  }

  using GradientBuilder::Apply;
  Value Apply(OpCode op, std::vector<Value> inputs, const std::string& role,
              OpAttributes attributes) override {
    EXPECT_FALSE(role.empty());
    std::vector<ValueType> in;
    in.reserve(inputs.size());
    for (const Value input : inputs) in.push_back(type(input));
    const auto out = InferTypes(op, in, attributes);
    EXPECT_THAT(out, testing::IsOk());
    if (!out.ok()) return kNone;
    if (op == kConvolution)
      products_.push_back(
          CostOf(EntryOf(op), {in, *out, attributes}, rows_).products.at(0));
    return Add(out->at(0));
  }

  const ValueType& type(Value value) const override {
    return types_.at(static_cast<std::size_t>(value.id));
  }
  const std::vector<MatrixProduct>& products() const { return products_; }

 private:
  std::int64_t rows_;
  std::vector<ValueType> types_;
  std::vector<MatrixProduct> products_;
};

// The products of a convolution, of its kernel's gradient and its input's; the
// first alone where there is no gradient.
std::vector<MatrixProduct> ProductsOf(const ValueType& input,
                                      const ValueType& kernel,
                                      const OpAttributes& attributes,
                                      std::int64_t rows) {
  ProductCounter counter(rows);
  const std::vector<Value> operands = {counter.Add(input), counter.Add(kernel)};
  const std::vector<Value> results = {
      counter.Apply(kConvolution, operands, "forward", attributes)};
  const std::vector<Value> gradients = {counter.Add(counter.type(results[0]))};
  const InputGradients made =
      EntryOf(kConvolution)
          .gradient(counter, {operands, results, attributes}, gradients);
  EXPECT_TRUE(made.ok() || absl::IsUnimplemented(made.status()));
  return counter.products();
}

// Strides, dilations, padding that cuts, groups of both kinds.
TEST(ConvolutionCost, GradientsDoAsMuchAsTheConvolution) {
  int with_gradients = 0;
  for (const OpSample& sample : SamplesOf(EntryOf(kConvolution))) {
    const std::vector<MatrixProduct> products =
        ProductsOf(sample.inputs[0], sample.inputs[1], sample.attributes, 3);
    if (products.size() < 3) continue;
    ++with_gradients;
    for (const MatrixProduct& product : products)
      EXPECT_EQ(UsefulMultiplyAdds(product), UsefulMultiplyAdds(products[0]));
  }
  EXPECT_GE(with_gradients, 12);
}

double AllMultiplyAdds(const MatrixProduct& product) {
  return static_cast<double>(product.m * product.n * product.k * product.count);
}

// Images of `side` x `side` and `in` features by a square kernel, with as many
// places as strides fit into a side, as JAX's "SAME" pads.
struct Layer {
  std::int64_t side;
  std::int64_t taps;
  std::int64_t stride;
  std::int64_t in;
  std::int64_t out;
};

std::vector<MatrixProduct> ProductsOf(const Layer& layer, std::int64_t rows) {
  const std::int64_t places = (layer.side - 1) / layer.stride + 1;
  const std::int64_t padding = std::max<std::int64_t>(
      (places - 1) * layer.stride + layer.taps - layer.side, 0);
  const WindowDimension window = {.low = padding / 2,
                                  .high = padding - padding / 2,
                                  .stride = layer.stride};
  return ProductsOf(
      Batched({layer.side, layer.side, layer.in}),
      Plain({layer.taps, layer.taps, layer.in, layer.out}),
      ConvolutionAttributes({{0, 3, {1, 2}}, {3, 2, {0, 1}}, {0, 3, {1, 2}}},
                            {window, window}),
      rows);
}

// One layer by hand: 3 x 3 by 2 on 8 x 8, one feature, two examples. JAX pads
// behind alone: of 4 places along a side only the last has a tap beyond it, so
// 11 of 12 taps show an element. The input's gradient moves 3 taps over 8
// places: 24, and the same 11 show an element.
TEST(ConvolutionCost, ByHand) {
  const std::vector<MatrixProduct> products = ProductsOf({8, 3, 2, 1, 1}, 2);
  ASSERT_EQ(products.size(), 3U);
  for (const MatrixProduct& product : products)
    EXPECT_EQ(UsefulMultiplyAdds(product), 2 * 11 * 11);
  EXPECT_EQ(AllMultiplyAdds(products[0]), 2 * 12 * 12);
  EXPECT_EQ(AllMultiplyAdds(products[1]), 2 * 12 * 12);  // the kernel's
  EXPECT_EQ(AllMultiplyAdds(products[2]), 2 * 24 * 24);  // the input's
  EXPECT_EQ(products[2].m, 2 * 8 * 8);
  EXPECT_EQ(products[2].k, 9);
}

// The 53 convolutions of ResNet-50 (He et al., Deep residual learning, 2016,
// table 1) as it is benchmarked ("v1.5": a block's 3 x 3 has the stride).
std::vector<Layer> ResNet50() {
  std::vector<Layer> layers = {{224, 7, 2, 3, 64}};
  std::int64_t side = 56;
  std::int64_t in = 64;
  struct Stage {
    std::int64_t width;
    int blocks;
  };
  for (const Stage& stage :
       std::vector<Stage>{{64, 3}, {128, 4}, {256, 6}, {512, 3}})
    for (int block = 0; block < stage.blocks; ++block) {
      const std::int64_t out = 4 * stage.width;
      const std::int64_t stride = block == 0 && stage.width > 64 ? 2 : 1;
      if (block == 0) layers.push_back({side, 1, stride, in, out});
      layers.push_back({side, 1, 1, in, stage.width});
      layers.push_back({side, 3, stride, stage.width, stage.width});
      side /= stride;
      layers.push_back({side, 1, 1, stage.width, out});
      in = out;
    }
  return layers;
}

// A step of 128 images: 3.00 TFLOP. With the zeros between the taps of strided
// gradients and with padding they would be 3.61. (Both sums were made by loops
// over all places and taps, apart from this code.)
TEST(ConvolutionCost, OfResNet50IsWithoutTheZerosOfItsStrides) {
  double useful = 0;
  double all = 0;
  const std::vector<Layer> layers = ResNet50();
  ASSERT_EQ(layers.size(), 53U);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    std::vector<MatrixProduct> products = ProductsOf(layers[i], 128);
    ASSERT_EQ(products.size(), 3U);
    // Nobody asks for the gradient of the images.
    if (i == 0) products.pop_back();
    for (const MatrixProduct& product : products) {
      useful += 2 * UsefulMultiplyAdds(product);
      all += 2 * AllMultiplyAdds(product);
    }
  }
  EXPECT_EQ(useful, 3'000'933'679'104.0);
  EXPECT_EQ(all, 3'611'824'226'304.0);
}

}  // namespace
}  // namespace podsim
