// The op table is complete and its shape rules accept what fits and name what
// does not.
#include "models/graph/op_table.h"

#include <set>
#include <string>
#include <vector>

#include "models/graph/graph.h"
#include "models/rules/update_rules.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

ValueType Batched(std::vector<std::int64_t> dims,
                  DType dtype = DType::kFloat32) {
  return {dtype, {std::move(dims)}, true};
}

ValueType Plain(std::vector<std::int64_t> dims) {
  return {DType::kFloat32, {std::move(dims)}, false};
}

// Operands that fit, and what comes out.
struct Fit {
  OpCode op;
  std::vector<ValueType> inputs;
  std::vector<ValueType> outputs;
  Shape shape = {};
};

std::vector<Fit> Fits() {
  const ValueType row = Batched({});
  const ValueType labels = Batched({}, DType::kInt32);
  return {
      {OpCode::kMatMul, {Batched({3}), Plain({3, 5})}, {Batched({5})}},
      {OpCode::kMatMul, {Plain({2, 3}), Plain({3, 5})}, {Plain({2, 5})}},
      {OpCode::kAddBias, {Batched({3}), Plain({3})}, {Batched({3})}},
      {OpCode::kRelu, {Batched({3, 4})}, {Batched({3, 4})}},
      {OpCode::kAdd, {Plain({3}), Plain({3})}, {Plain({3})}},
      {OpCode::kReshape, {Batched({3, 4})}, {Batched({12})}, {{12}}},
      {OpCode::kSoftmaxXent, {Batched({5}), labels}, {Batched({5}), row, row}},
      {OpCode::kMatMulGradInput, {Batched({5}), Plain({3, 5})}, {Batched({3})}},
      {OpCode::kMatMulGradWeight,
       {Batched({3}), Batched({5})},
       {Plain({3, 5})}},
      {OpCode::kBiasGrad, {Batched({5})}, {Plain({5})}},
      {OpCode::kReluGrad, {Batched({5}), Batched({5})}, {Batched({5})}},
      {OpCode::kSoftmaxXentGrad, {Batched({5}), labels, row}, {Batched({5})}},
      {OpCode::kRoundBFloat16,
       {Batched({5})},
       {Batched({5}, DType::kBFloat16)}},
      {OpCode::kClip, {Plain({5}), Plain({2, 3})}, {Plain({5}), Plain({2, 3})}},
      // Rule 0: no slots.
      {OpCode::kUpdate, {Plain({5}), Plain({5})}, {Plain({5})}},
  };
}

TEST(OpTable, HasOneFullEntryPerOp) {
  std::set<std::string> names;
  for (const OpCode op : kAllOpCodes) {
    const OpEntry& entry = EntryOf(op);
    EXPECT_EQ(entry.op, op);
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(ToString(op), entry.name);
    EXPECT_NE(entry.infer, nullptr) << entry.name;
    EXPECT_NE(entry.cost, nullptr) << entry.name;
    EXPECT_GE(entry.input_count, 1) << entry.name;
  }
}

TEST(OpTable, InfersAndPricesWhatFits) {
  std::set<OpCode> seen;
  for (const Fit& fit : Fits()) {
    seen.insert(fit.op);
    OpAttributes attributes;
    attributes.shape = fit.shape;
    const auto types = InferTypes(fit.op, fit.inputs, attributes);
    ASSERT_THAT(types, IsOk());
    EXPECT_EQ(*types, fit.outputs) << ToString(fit.op);
    const OpEntry& entry = EntryOf(fit.op);
    const OpCost once = entry.cost({fit.inputs, fit.outputs, attributes}, 8);
    EXPECT_GT(once.hbm_bytes, 0) << entry.name;
    EXPECT_EQ(once.matrix_flops > 0, entry.is_product) << entry.name;
    EXPECT_LE(once.matrix_flops, once.matrix_unit_flops) << entry.name;
    const OpCost twice = entry.cost({fit.inputs, fit.outputs, attributes}, 16);
    EXPECT_GE(twice.hbm_bytes, once.hbm_bytes) << entry.name;
  }
  for (const OpCode op : kAllOpCodes)
    EXPECT_TRUE(seen.contains(op)) << ToString(op) << " has no case here";
}

TEST(OpTable, RefusesAWrongNumberOfOperands) {
  for (const Fit& fit : Fits()) {
    std::vector<ValueType> inputs = fit.inputs;
    if (fit.op == OpCode::kClip)
      inputs.clear();  // takes any number but none
    else
      inputs.push_back(inputs[0]);
    EXPECT_THAT(
        InferTypes(fit.op, inputs, {}),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("operands")));
  }
}

TEST(OpTable, RefusesEveryOperandOfAnotherShape) {
  for (const Fit& fit : Fits()) {
    // Nothing else to disagree with.
    if (fit.op == OpCode::kRelu || fit.op == OpCode::kRoundBFloat16 ||
        fit.op == OpCode::kClip)
      continue;
    for (std::size_t i = 0; i < fit.inputs.size(); ++i) {
      std::vector<ValueType> inputs = fit.inputs;
      inputs[i] = Plain({7, 7, 7});
      OpAttributes attributes;
      attributes.shape = fit.shape;
      const auto types = InferTypes(fit.op, inputs, attributes);
      EXPECT_THAT(types, StatusIs(absl::StatusCode::kInvalidArgument,
                                  HasSubstr("[7, 7, 7]")))
          << ToString(fit.op) << " operand " << i;
    }
  }
}

TEST(OpTable, AnUpdateTakesTheSlotsOfItsRule) {
  for (const UpdateRule& rule : UpdateRules()) {
    OpAttributes attributes;
    attributes.rule = NumberOf(rule);
    const int slots = rule.info.slot_count;
    std::vector<ValueType> inputs(static_cast<std::size_t>(2 + slots),
                                  Plain({5}));
    ASSERT_OK_AND_ASSIGN(const auto outputs,
                         InferTypes(OpCode::kUpdate, inputs, attributes));
    EXPECT_EQ(static_cast<int>(outputs.size()), 1 + slots);
    // Each slot is read and written, and a norm makes two passes.
    const OpCost cost =
        EntryOf(OpCode::kUpdate).cost({inputs, outputs, attributes}, 1);
    EXPECT_EQ(cost.hbm_bytes, 4.0 * 5 * (3 + 2 * slots));
    attributes.trusts = true;
    EXPECT_EQ(EntryOf(OpCode::kUpdate)
                  .cost({inputs, outputs, attributes}, 1)
                  .hbm_bytes,
              cost.hbm_bytes + 4.0 * 5 * 3);
    inputs.push_back(Plain({5}));
    EXPECT_THAT(InferTypes(OpCode::kUpdate, inputs, attributes),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr(rule.info.name)));
  }
}

TEST(OpTable, MismatchNamesOpAndBothShapes) {
  const std::vector<ValueType> inputs = {Batched({64}), Plain({32, 10})};
  EXPECT_THAT(
      InferTypes(OpCode::kMatMul, inputs, {}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("MatMul([B, 64], [32, 10]): the left side's 64 "
                         "columns are not the right side's 32 rows")));
}

TEST(OpTable, ProductsCountTwoFlopsPerMultiplication) {
  OpAttributes rounded;
  rounded.rounded_operands = true;
  const auto cost = [&](OpCode op, std::vector<ValueType> in, ValueType out,
                        const OpAttributes& attributes) {
    const std::vector<ValueType> outs = {std::move(out)};
    return EntryOf(op).cost({in, outs, attributes}, 24);
  };
  // 24 rows, K = 200, N = 100: padded to 24 x 256 x 128.
  for (const OpCost& each :
       {cost(OpCode::kMatMul, {Batched({200}), Plain({200, 100})},
             Batched({100}), rounded),
        cost(OpCode::kMatMulGradInput, {Batched({200}), Plain({100, 200})},
             Batched({100}), rounded)}) {
    EXPECT_EQ(each.matrix_flops, 2.0 * 24 * 200 * 100);
    EXPECT_EQ(each.matrix_unit_flops, 2.0 * 24 * 256 * 128);
  }
  const OpCost weight =
      cost(OpCode::kMatMulGradWeight, {Batched({200}), Batched({100})},
           Plain({200, 100}), rounded);
  EXPECT_EQ(weight.matrix_flops, 2.0 * 24 * 200 * 100);
  EXPECT_EQ(weight.matrix_unit_flops, 2.0 * 200 * 128 * 128);
  const OpCost plain = cost(
      OpCode::kMatMul, {Batched({200}), Plain({200, 100})}, Batched({100}), {});
  EXPECT_GT(plain.matrix_unit_flops, 2.0 * 24 * 256 * 128);
  EXPECT_EQ(plain.hbm_bytes, 4.0 * (24 * 200 + 200 * 100 + 24 * 100));
}

}  // namespace
}  // namespace podsim
