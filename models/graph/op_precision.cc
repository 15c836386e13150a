#include "models/graph/op_precision.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace podsim {
namespace {

// Their kernels read and write float32 alone; AddBias as its gradient, a sum
// over the batch, is one.
constexpr std::array<std::string_view, 4> kFloat32Ops = {
    "AddBias", "SoftmaxXent", "all_reduce", "ReduceMultiplyGrad"};

// Extremes are exact in any type.
bool AddsOrMultiplies(const OpEntry& entry, const OpAttributes& attributes) {
  return std::string_view(entry.name) == "reduce" &&
         (attributes.word == "add" || attributes.word == "multiply");
}

}  // namespace

OpPrecision PrecisionOf(const OpEntry& entry, const OpAttributes& attributes) {
  if (entry.is_product())
    return attributes.Int(kFullPrecision, 0) != 0 ? OpPrecision::kFloat32
                                                  : OpPrecision::kProduct;
  const bool needs_float32 = std::find(kFloat32Ops.begin(), kFloat32Ops.end(),
                                       entry.name) != kFloat32Ops.end();
  if (needs_float32 || AddsOrMultiplies(entry, attributes))
    return OpPrecision::kFloat32;
  return entry.scalar.value != nullptr ? OpPrecision::kBFloat16
                                       : OpPrecision::kAsGiven;
}

std::optional<DType> OperandType(OpPrecision precision,
                                 std::span<const ValueType> operands) {
  const auto has = [&](DType dtype) {
    return std::any_of(
        operands.begin(), operands.end(),
        [&](const ValueType& type) { return type.dtype == dtype; });
  };
  switch (precision) {
    case OpPrecision::kAsGiven:
      if (has(DType::kFloat32) && has(DType::kBFloat16))
        return DType::kBFloat16;
      return std::nullopt;
    case OpPrecision::kFloat32:
      return DType::kFloat32;
    case OpPrecision::kBFloat16:
    case OpPrecision::kProduct:
      break;
  }
  return DType::kBFloat16;
}

}  // namespace podsim
