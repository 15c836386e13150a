// What arrays take in HBM, and products on the matrix unit, by hand.
#include "chip/tiles.h"

#include <gtest/gtest.h>

#include "models/ops/rules.h"

namespace podsim {
namespace {

TEST(BytesInHbm, LanesHoldBatchOrFeaturesWhicheverWastesLess) {
  // 256 features in the lanes.
  EXPECT_EQ(BytesInHbm(Batched({56, 56, 256}), 128), 4.0 * 128 * 56 * 56 * 256);
  // 64 features: the batch in the lanes, the features in sublanes.
  EXPECT_EQ(BytesInHbm(Batched({56, 56, 64}, DType::kBFloat16), 128),
            2.0 * 128 * 56 * 56 * 64);
  // 32 examples leave 3 lanes of 4 empty, 64 features 1 of 2.
  EXPECT_EQ(BytesInHbm(Batched({56, 56, 64}), 32), 4.0 * 32 * 56 * 56 * 128);
}

TEST(BytesInHbm, SublanesAreEightWordsHigh) {
  // Lanes 128; 12 rows in tiles of 8 words: 16 in float32, and in bfloat16.
  EXPECT_EQ(BytesInHbm(Plain({12, 128}), 1), 4.0 * 16 * 128);
  EXPECT_EQ(BytesInHbm(Plain({12, 128}, DType::kBFloat16), 1), 2.0 * 16 * 128);
  EXPECT_EQ(BytesInHbm(Plain({20, 128}, DType::kBFloat16), 1), 2.0 * 32 * 128);
  EXPECT_EQ(BytesInHbm(Plain({40, 128}, DType::kBool), 1), 1.0 * 64 * 128);
  // Two rows have a tile of two.
  EXPECT_EQ(BytesInHbm(Plain({2, 1024}), 1), 4.0 * 2 * 1024);
  // Dimensions of 1 take nothing.
  EXPECT_EQ(BytesInHbm(Plain({1, 1, 64, 256}), 1), 4.0 * 64 * 256);
}

TEST(BytesInHbm, VectorsHaveTilesOfTheirOwn) {
  EXPECT_EQ(BytesInHbm(Plain({}), 1), 1024);
  EXPECT_EQ(BytesInHbm(Plain({64}), 1), 1024);
  EXPECT_EQ(BytesInHbm(Plain({512}), 1), 2048);
  EXPECT_EQ(BytesInHbm(Plain({1000}), 1), 4096);
  EXPECT_EQ(BytesInHbm(Plain({2049}), 1), 4.0 * 3 * 1024);
  EXPECT_EQ(BytesInHbm(Plain({64}, DType::kBFloat16), 1), 1024);
  EXPECT_EQ(BytesInHbm(Batched({}), 300), 2048);
  EXPECT_EQ(BytesInHbm(Batched({7}), 0), 0);
}

TEST(MatrixUnitFlops, PadsColumnsToTheUnitAndDepthToOne) {
  const auto flops = [](const MatrixProduct& product, std::int64_t side) {
    return MatrixUnitFlops(product, UsefulMultiplyAdds(product), side);
  };
  MatrixProduct product = {
      .m = 1024, .n = 64, .k = 576, .rounded_operands = true};
  const double useful = 2.0 * 1024 * 64 * 576;
  EXPECT_EQ(flops(product, 1), useful);
  EXPECT_EQ(flops(product, 128), 2 * useful);
  EXPECT_EQ(flops(product, 256), 4 * useful);
  product.k = 32;
  EXPECT_EQ(flops(product, 128), 2.0 * 1024 * 128 * 128);
  product.m = 3;
  EXPECT_DOUBLE_EQ(flops(product, 128), 2.0 * 8 * 128 * 128);
  product.count = 5;
  EXPECT_DOUBLE_EQ(flops(product, 128), 5 * 2.0 * 8 * 128 * 128);
  product.rounded_operands = false;
  EXPECT_DOUBLE_EQ(flops(product, 128), 6 * 5 * 2.0 * 8 * 128 * 128);
}

TEST(MatrixUnitFlops, WhatIsNoWorkIsNotPadded) {
  const MatrixProduct product = {
      .m = 128, .n = 64, .k = 256, .rounded_operands = true};
  // A quarter of the taps meet zeros.
  const double useful = 0.75 * UsefulMultiplyAdds(product);
  EXPECT_EQ(MatrixUnitFlops(product, useful, 128),
            2 * 2 * 0.75 * 128 * 64 * 256);
}

}  // namespace
}  // namespace podsim
