// Shape rules and the table itself; gradients are in op_gradients.cc, costs in
// op_costs.cc.
#include "models/graph/op_table.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "models/graph/op_costs.h"
#include "models/graph/op_gradients.h"
#include "models/rules/update_rules.h"

namespace podsim {
namespace {

using Types = std::span<const ValueType>;
using Inferred = absl::StatusOr<std::vector<ValueType>>;

absl::Status Bad(const std::string& why) {
  return absl::InvalidArgumentError(why);
}

// A product's left side: a batch of vectors or a matrix.
bool IsRows(const ValueType& type) {
  return type.dtype == DType::kFloat32 &&
         type.shape.rank() == (type.batched ? 1 : 2);
}

bool IsMatrix(const ValueType& type) {
  return type.dtype == DType::kFloat32 && !type.batched &&
         type.shape.rank() == 2;
}

std::int64_t Columns(const ValueType& type) { return type.shape.dims.back(); }

ValueType WithColumns(ValueType type, std::int64_t columns) {
  type.shape.dims.back() = columns;
  return type;
}

Inferred InferMatMul(Types in, const OpAttributes&) {
  if (!IsRows(in[0]))
    return Bad("the left side must be [B, K] or [M, K]; reshape it first");
  if (!IsMatrix(in[1])) return Bad("the right side must be [K, N]");
  if (Columns(in[0]) != in[1].shape.dims[0])
    return Bad(absl::StrCat("the left side's ", Columns(in[0]),
                            " columns are not the right side's ",
                            in[1].shape.dims[0], " rows"));
  return std::vector{WithColumns(in[0], Columns(in[1]))};
}

Inferred InferMatMulGradInput(Types in, const OpAttributes&) {
  if (!IsRows(in[0]) || !IsMatrix(in[1]) || Columns(in[0]) != Columns(in[1]))
    return Bad("needs dy [M, N] and w [K, N]");
  return std::vector{WithColumns(in[0], in[1].shape.dims[0])};
}

Inferred InferMatMulGradWeight(Types in, const OpAttributes&) {
  if (!IsRows(in[0]) || !IsRows(in[1]) || in[0].batched != in[1].batched ||
      (!in[0].batched && in[0].shape.dims[0] != in[1].shape.dims[0]))
    return Bad("needs x [M, K] and dy [M, N]");
  return std::vector{
      ValueType{DType::kFloat32, {{Columns(in[0]), Columns(in[1])}}, false}};
}

Inferred InferAddBias(Types in, const OpAttributes&) {
  if (!IsRows(in[0])) return Bad("the left side must be [B, N] or [M, N]");
  if (in[1] != ValueType{DType::kFloat32, {{Columns(in[0])}}, false})
    return Bad(absl::StrCat("the bias must be [", Columns(in[0]), "]"));
  return std::vector{in[0]};
}

Inferred InferBiasGrad(Types in, const OpAttributes&) {
  if (!IsRows(in[0])) return Bad("needs dy [M, N]");
  return std::vector{ValueType{DType::kFloat32, {{Columns(in[0])}}, false}};
}

Inferred InferUnary(Types in, const OpAttributes&) {
  if (in[0].dtype != DType::kFloat32) return Bad("needs float32");
  return std::vector{in[0]};
}

Inferred InferSameTypes(Types in, const OpAttributes&) {
  if (in[0] != in[1] || in[0].dtype != DType::kFloat32)
    return Bad("both sides must have the same shape, in float32");
  return std::vector{in[0]};
}

Inferred InferReshape(Types in, const OpAttributes& attributes) {
  if (attributes.shape.elements() != in[0].shape.elements())
    return Bad(absl::StrCat("cannot become ", ToString(attributes.shape), ": ",
                            in[0].shape.elements(), " elements are not ",
                            attributes.shape.elements()));
  return std::vector{ValueType{in[0].dtype, attributes.shape, in[0].batched}};
}

bool IsPerRow(const ValueType& type, DType dtype) {
  return type == ValueType{dtype, {}, true};
}

Inferred InferSoftmaxXent(Types in, const OpAttributes&) {
  if (!in[0].batched || !IsRows(in[0])) return Bad("logits must be [B, N]");
  if (!IsPerRow(in[1], DType::kInt32)) return Bad("labels must be int32 [B]");
  const ValueType per_row{DType::kFloat32, {}, true};
  return std::vector{in[0], per_row, per_row};
}

Inferred InferSoftmaxXentGrad(Types in, const OpAttributes&) {
  if (!in[0].batched || !IsRows(in[0]) || !IsPerRow(in[1], DType::kInt32) ||
      !IsPerRow(in[2], DType::kFloat32))
    return Bad("needs prob [B, N], labels int32 [B] and dloss [B]");
  return std::vector{in[0]};
}

Inferred InferRound(Types in, const OpAttributes&) {
  if (in[0].dtype != DType::kFloat32) return Bad("needs float32");
  return std::vector{ValueType{DType::kBFloat16, in[0].shape, in[0].batched}};
}

Inferred InferClip(Types in, const OpAttributes&) {
  for (const ValueType& type : in)
    if (type.batched || type.dtype != DType::kFloat32)
      return Bad("gradients have no batch and are float32");
  return std::vector<ValueType>(in.begin(), in.end());
}

Inferred InferUpdate(Types in, const OpAttributes& attributes) {
  const RuleInfo& rule =
      UpdateRules()[static_cast<std::size_t>(attributes.rule)].info;
  if (static_cast<int>(in.size()) != 2 + rule.slot_count)
    return Bad(absl::StrCat(rule.name, " takes ", 2 + rule.slot_count,
                            " operands: gradient, slots and variable"));
  for (const ValueType& type : in)
    if (type != in[0] || type.batched)
      return Bad("gradient, slots and variable must have one shape");
  return std::vector<ValueType>(in.begin() + 1, in.end());
}

constexpr std::array<OpEntry, kAllOpCodes.size()> kTable = {{
    {.op = OpCode::kMatMul,
     .name = "MatMul",
     .input_count = 2,
     .infer = InferMatMul,
     .gradient = MatMulGradient,
     .cost = ProductCost,
     .is_product = true,
     .is_row_wise = true},
    {.op = OpCode::kAddBias,
     .name = "AddBias",
     .input_count = 2,
     .infer = InferAddBias,
     .gradient = AddBiasGradient,
     .cost = ElementwiseCost,
     .is_row_wise = true,
     .works_in_place = true},
    {.op = OpCode::kRelu,
     .name = "Relu",
     .input_count = 1,
     .infer = InferUnary,
     .gradient = ReluGradient,
     .cost = ElementwiseCost,
     .is_row_wise = true,
     .works_in_place = true},
    {.op = OpCode::kAdd,
     .name = "Add",
     .input_count = 2,
     .infer = InferSameTypes,
     .gradient = AddGradient,
     .cost = ElementwiseCost,
     .is_row_wise = true,
     .works_in_place = true},
    {.op = OpCode::kReshape,
     .name = "Reshape",
     .input_count = 1,
     .infer = InferReshape,
     .gradient = ReshapeGradient,
     .cost = CopyCost,
     .is_row_wise = true},
    {.op = OpCode::kSoftmaxXent,
     .name = "SoftmaxXent",
     .input_count = 2,
     .infer = InferSoftmaxXent,
     .gradient = SoftmaxXentGradient,
     .cost = SoftmaxCost,
     .is_row_wise = true},
    {.op = OpCode::kMatMulGradInput,
     .name = "MatMulGradInput",
     .input_count = 2,
     .infer = InferMatMulGradInput,
     .cost = ProductCost,
     .is_product = true,
     .is_row_wise = true},
    {.op = OpCode::kMatMulGradWeight,
     .name = "MatMulGradWeight",
     .input_count = 2,
     .infer = InferMatMulGradWeight,
     .cost = WeightGradientCost,
     .is_product = true},
    {.op = OpCode::kBiasGrad,
     .name = "BiasGrad",
     .input_count = 1,
     .infer = InferBiasGrad,
     .cost = ElementwiseCost},
    {.op = OpCode::kReluGrad,
     .name = "ReluGrad",
     .input_count = 2,
     .infer = InferSameTypes,
     .cost = ElementwiseCost,
     .is_row_wise = true,
     .works_in_place = true},
    {.op = OpCode::kSoftmaxXentGrad,
     .name = "SoftmaxXentGrad",
     .input_count = 3,
     .infer = InferSoftmaxXentGrad,
     .cost = ElementwiseCost,
     .is_row_wise = true,
     .works_in_place = true},
    {.op = OpCode::kRoundBFloat16,
     .name = "RoundBFloat16",
     .input_count = 1,
     .infer = InferRound,
     .cost = RoundCost,
     .is_row_wise = true,
     .works_in_place = true},
    {.op = OpCode::kClip,
     .name = "Clip",
     .input_count = 1,
     .takes_more = true,
     .infer = InferClip,
     .cost = ClipCost},
    {.op = OpCode::kUpdate,
     .name = "Update",
     .input_count = 2,
     .takes_more = true,
     .infer = InferUpdate,
     .cost = UpdateCost},
}};

}  // namespace

const OpEntry& EntryOf(OpCode op) {
  const auto index = static_cast<std::size_t>(op);
  PODSIM_CHECK(index < kTable.size() && kTable[index].op == op);
  return kTable[index];
}

std::string ToString(OpCode op) { return EntryOf(op).name; }

std::string ToString(const ValueType& type) {
  std::vector<std::string> dims;
  if (type.batched) dims.emplace_back("B");
  for (const std::int64_t dim : type.shape.dims)
    dims.push_back(absl::StrCat(dim));
  return absl::StrCat(
      type.dtype == DType::kFloat32 ? "" : ToString(type.dtype) + " ", "[",
      absl::StrJoin(dims, ", "), "]");
}

MatrixView AsMatrix(const ValueType& type, std::int64_t batch_rows) {
  if (type.batched) return {batch_rows, type.shape.elements()};
  if (type.shape.dims.empty()) return {1, 1};
  const std::int64_t columns = type.shape.dims.back();
  return {columns == 0 ? 0 : type.shape.elements() / columns, columns};
}

absl::StatusOr<std::vector<ValueType>> InferTypes(
    OpCode op, std::span<const ValueType> inputs,
    const OpAttributes& attributes) {
  const OpEntry& entry = EntryOf(op);
  const auto error = [&](const std::string& why) {
    const auto text = [](std::string* out, const ValueType& type) {
      out->append(ToString(type));
    };
    return absl::InvalidArgumentError(absl::StrCat(
        entry.name, "(", absl::StrJoin(inputs, ", ", text), "): ", why));
  };
  const int count = static_cast<int>(inputs.size());
  if (entry.takes_more ? count < entry.input_count : count != entry.input_count)
    return error(absl::StrCat("takes ", entry.input_count,
                              entry.takes_more ? " or more" : "", " operands"));
  auto types = entry.infer(inputs, attributes);
  if (!types.ok()) return error(std::string(types.status().message()));
  return types;
}

}  // namespace podsim
