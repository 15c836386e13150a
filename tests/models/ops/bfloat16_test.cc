// Ops that add bfloat16 up do so in float32 and round once, by their
// references. What they give back in a gradient: gradient_check_test.cc.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "tests/models/ops/bfloat16_sums.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::BFloat16Sum;
using ::podsim::testing::BFloat16Sums;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::podsim::testing::ValuesOf;
using ::testing::HasSubstr;

TEST(BFloat16, SumsAreRoundedOnce) {
  for (const BFloat16Sum& sum : BFloat16Sums())
    EXPECT_EQ(ValuesOf(sum.op, sum.operands, sum.attributes), sum.result)
        << sum.op;
}

// A host adds up what each core has rounded.
TEST(BFloat16, SumsOfCoresAreNotRoundedAsOne) {
  const OpEntry& entry = EntryOf(OpCode("GatherGrad"));
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    const std::vector<ValueType> inputs = {Batched({}, dtype),
                                           Batched({}, DType::kInt32)};
    const std::vector<ValueType> outputs = {Plain({2}, dtype)};
    EXPECT_EQ(SumsStackedRows(entry, {inputs, outputs, OpAttributes{}}),
              dtype == DType::kFloat32);
  }
}

TEST(BFloat16, IsNotMixedWithFloat32) {
  const auto expect = [](const BFloat16Sum& sum, std::size_t operand,
                         const char* why) {
    std::vector<ValueType> inputs;
    for (const Tensor& each : sum.operands) inputs.push_back(each.type);
    inputs[operand].dtype = DType::kFloat32;
    EXPECT_THAT(InferTypes(OpCode(sum.op), inputs, sum.attributes),
                StatusIs(kInvalid, HasSubstr(why)));
  };
  expect(BFloat16Sums()[0], 2, "the updates must have the operand's type");
  expect(BFloat16Sums()[3], 1, "all operands must have the same type");
}

TEST(Scatter, RefusesBoolsByTheirType) {
  BFloat16Sum sum = BFloat16Sums()[0];
  std::vector<ValueType> inputs;
  for (const Tensor& each : sum.operands) inputs.push_back(each.type);
  inputs[0].dtype = inputs[2].dtype = DType::kBool;
  EXPECT_THAT(InferTypes(OpCode(sum.op), inputs, sum.attributes),
              StatusIs(kInvalid, HasSubstr("cannot add bools")));
}

}  // namespace
}  // namespace podsim
