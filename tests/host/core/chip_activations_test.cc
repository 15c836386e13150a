// What the chip holds between ops, against sums made by hand.
#include "host/core/chip_activations.h"

#include <gtest/gtest.h>

#include "models/zoo/zoo.h"

namespace podsim {
namespace {

Program Mlp(const std::vector<int>& hidden, bool bfloat16) {
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
  const ChipActivations one = ActivationsOf(Mlp({512}, false));
  EXPECT_EQ(one.elements_per_row, 2 * 512 + 10 + 2);
  EXPECT_EQ(one.elements, 0);
  // Two layers: where the second one's gradient stands the first one waits.
  EXPECT_EQ(ActivationsOf(Mlp({64, 512}, false)).elements_per_row,
            64 + 2 * 512 + 10 + 2);
  // Logistic regression: the probabilities and their gradient.
  EXPECT_EQ(ActivationsOf(Mlp({}, false)).elements_per_row, 2 * 10 + 2);
}

TEST(ChipActivationsTest, RoundingIsPartOfTheProductThatReads) {
  for (const auto& hidden : {std::vector<int>{512}, {64, 512}, {512, 64}})
    EXPECT_EQ(ActivationsOf(Mlp(hidden, true)).elements_per_row,
              ActivationsOf(Mlp(hidden, false)).elements_per_row);
}

TEST(ChipActivationsTest, AProgramWithoutAStepHoldsNothing) {
  EXPECT_EQ(ActivationsOf(Program()).elements_per_row, 0);
}

}  // namespace
}  // namespace podsim
