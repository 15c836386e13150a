// Padding that the shapes of a row tell, as its HLO text has them.
#include "bench/validation/op_work.h"

#include <gtest/gtest.h>

#include <string>

namespace podsim::validation {
namespace {

constexpr int kSide = 128;

TEST(PaddingOf, AxesThatAreSummedOverFillTheUnit) {
  // The layer: 64 channels in, 256 out.
  EXPECT_EQ(PaddingOf("(f32[256]{0:T(256)}, bf16[128,56,56,256]{3,0,2,1:"
                      "T(8,128)(2,1)}) fusion(bf16[128,56,56,64]{0,3,2,1:"
                      "T(8,128)(2,1)}, f32[1,1,64,256]{3,2,1,0:T(8,128)}), "
                      "kind=kOutput",
                      kSide),
            2);
  // The gradient of its inputs sums over the 256.
  EXPECT_EQ(PaddingOf("bf16[128,56,56,64]{0,3,2,1} fusion(f32[1,1,64,256]"
                      "{3,2,1,0}, bf16[128,56,56,256]{3,0,2,1}), kind=kOutput",
                      kSide),
            1);
  // 384 columns for 324: detection heads.
  EXPECT_EQ(PaddingOf("bf16[16,38,38,256]{3,0,2,1} fusion(bf16[16,38,38,324]"
                      "{3,0,2,1}, f32[3,3,256,324]{3,2,1,0}), kind=kOutput",
                      kSide),
            384.0 / 324);
  // A unit of 256 columns.
  EXPECT_EQ(PaddingOf("bf16[8,8,8,64]{3,2,1,0} fusion(bf16[8,8,8,64]{3,2,1,0},"
                      " bf16[3,3,64,64]{3,2,1,0}), kind=kOutput",
                      256),
            4);
}

TEST(PaddingOf, AGradientOfWeightsTakesItsBetterSide) {
  const char* const operands =
      "{3,2,1,0} fusion(bf16[128,56,56,64]{0,3,2,1}, bf16[128,56,56,64]"
      "{0,3,2,1}), kind=kOutput";
  EXPECT_EQ(PaddingOf(std::string("bf16[3,3,64,64]") + operands, kSide), 2);
  EXPECT_EQ(PaddingOf(std::string("bf16[1,1,64,256]") + operands, kSide), 1);
}

TEST(PaddingOf, WhatTheShapesDoNotTellIsNotPadded) {
  // A product of two axes.
  EXPECT_EQ(PaddingOf("f32[64,30]{1,0} fusion(bf16[64,20]{1,0}, bf16[20,30]"
                      "{1,0}), kind=kOutput",
                      kSide),
            1);
  // 3 channels of an image.
  EXPECT_EQ(PaddingOf("bf16[128,112,112,64]{0,3,2,1} fusion(f32[7,7,3,64]"
                      "{3,2,1,0}, bf16[224,224,3,128]{3,2,1,0}), kind=kOutput",
                      kSide),
            1);
  // Two filters: which is whose?
  EXPECT_EQ(PaddingOf("bf16[8,9,9,64]{3,2,1,0} fusion(bf16[3,3,64,64]"
                      "{3,2,1,0}, bf16[1,1,64,64]{3,2,1,0}), kind=kOutput",
                      kSide),
            1);
  EXPECT_EQ(PaddingOf("", kSide), 1);
}

OpRow Op(const char* category) {
  OpRow op;
  op.category = category;
  op.flops = 3e9;
  op.hbm_bytes = 5e6;
  op.hlo =
      "bf16[8,9,9,64]{3,2,1,0} fusion(bf16[8,9,9,64]{3,2,1,0}, "
      "bf16[3,3,64,64]{3,2,1,0}), kind=kOutput";
  return op;
}

TEST(WorkOfOp, ProductsAreTheMatrixUnits) {
  for (const char* category : {"convolution fusion", "convolution"}) {
    const KernelWork work = WorkOfOp(Op(category), kSide);
    EXPECT_EQ(work.matrix_flops, 6e9);
    EXPECT_EQ(work.vector_flops, 0);
    EXPECT_EQ(work.hbm_bytes, 5e6);
  }
  const KernelWork work = WorkOfOp(Op("loop fusion"), kSide);
  EXPECT_EQ(work.matrix_flops, 0);
  EXPECT_EQ(work.vector_flops, 3e9);
  EXPECT_EQ(work.hbm_bytes, 5e6);
}

}  // namespace
}  // namespace podsim::validation
