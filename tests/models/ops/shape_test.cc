#include "models/ops/shape.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

TEST(ShapeTest, CountsElements) {
  EXPECT_EQ((Shape{{3, 4, 5}}).elements(), 60);
  EXPECT_EQ(Shape{}.elements(), 1);
  EXPECT_EQ((Shape{{3, 0}}).elements(), 0);
  EXPECT_EQ((Shape{{3, 4}}).rank(), 2);
}

TEST(ShapeTest, Prints) {
  EXPECT_EQ(ToString(Shape{{128, 10}}), "[128, 10]");
  EXPECT_EQ(ToString(Shape{}), "[]");
}

TEST(DTypeTest, SizesAndNames) {
  EXPECT_EQ(SizeOf(DType::kFloat32), 4);
  EXPECT_EQ(SizeOf(DType::kInt32), 4);
  EXPECT_EQ(SizeOf(DType::kUint32), 4);
  EXPECT_EQ(SizeOf(DType::kBFloat16), 2);
  EXPECT_EQ(SizeOf(DType::kUint8), 1);
  EXPECT_EQ(SizeOf(DType::kBool), 1);
  EXPECT_EQ(ToString(DType::kFloat32), "float32");
  EXPECT_EQ(ToString(DType::kBFloat16), "bfloat16");
  EXPECT_EQ(ToString(DType::kInt32), "int32");
  EXPECT_EQ(ToString(DType::kUint32), "uint32");
  EXPECT_EQ(ToString(DType::kUint8), "uint8");
  EXPECT_EQ(ToString(DType::kBool), "bool");
}

}  // namespace
}  // namespace podsim
