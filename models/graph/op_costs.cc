#include "models/graph/op_costs.h"

#include <algorithm>

namespace podsim {
namespace {

// The matrix unit of v2 to v5p is 128 x 128; it takes rows eight at a time
// (bf16[8,128] x [128,128] every 8 cycles: the scaling book, "TPUs").
constexpr std::int64_t kTile = 128;
constexpr std::int64_t kRowTile = 8;

// Assumed: a float32 product is the sum of six products of bfloat16 parts
// (three parts per operand, the three smallest of nine products dropped), as
// XLA's highest precision does it.
constexpr double kFloat32Passes = 6;

// Assumed: an exponential or a logarithm costs about ten vector operations.
constexpr double kExpFlops = 10;

double RoundUp(std::int64_t value, std::int64_t unit) {
  const std::int64_t tiles = (value + unit - 1) / unit;
  return static_cast<double>(tiles * unit);
}

double Elements(const ValueType& type, std::int64_t rows) {
  return static_cast<double>(type.shape.elements()) *
         static_cast<double>(type.batched ? rows : 1);
}

double Bytes(std::span<const ValueType> types, std::int64_t rows) {
  double bytes = 0;
  for (const ValueType& type : types)
    bytes += Elements(type, rows) * static_cast<double>(SizeOf(type.dtype));
  return bytes;
}

// `k`: how many products are summed into one element of the result.
OpCost CostOfProduct(const OpSignature& signature, std::int64_t rows,
                     std::int64_t k) {
  OpCost cost = CopyCost(signature, rows);
  const MatrixView c = AsMatrix(signature.outputs[0], rows);
  const double passes =
      signature.attributes.rounded_operands ? 1 : kFloat32Passes;
  cost.matrix_flops = 2.0 * static_cast<double>(c.rows) *
                      static_cast<double>(c.columns) * static_cast<double>(k);
  cost.matrix_unit_flops = 2.0 * RoundUp(c.rows, kRowTile) *
                           RoundUp(c.columns, kTile) * RoundUp(k, kTile) *
                           passes;
  return cost;
}

}  // namespace

OpCost CopyCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost;
  cost.hbm_bytes =
      Bytes(signature.inputs, rows) + Bytes(signature.outputs, rows);
  return cost;
}

OpCost ElementwiseCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  for (const ValueType& type : signature.inputs)
    cost.vector_flops = std::max(cost.vector_flops, Elements(type, rows));
  cost.vector_flops *= static_cast<double>(signature.inputs.size());
  return cost;
}

// A pass for the norm, another that scales; a square and a sum, a product.
OpCost ClipCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  cost.hbm_bytes += Bytes(signature.inputs, rows);
  for (const ValueType& type : signature.inputs)
    cost.vector_flops += 3 * Elements(type, rows);
  return cost;
}

// With a trust ratio the update waits for norms: it is written first, then read
// again together with the weights.
OpCost UpdateCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = ElementwiseCost(signature, rows);
  if (signature.attributes.trusts)
    cost.hbm_bytes += 2 * Bytes(signature.inputs.first(1), rows) +
                      Bytes(signature.inputs.last(1), rows);
  return cost;
}

OpCost SoftmaxCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  // Per logit: maximum, difference, exponential, sum, quotient.
  cost.vector_flops = Elements(signature.inputs[0], rows) * (4 + kExpFlops);
  return cost;
}

// The unit that writes a value rounds it on the way out, so all that is left
// is the write.
OpCost RoundCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost;
  cost.hbm_bytes = Bytes(signature.outputs, rows);
  return cost;
}

OpCost ProductCost(const OpSignature& signature, std::int64_t rows) {
  return CostOfProduct(signature, rows,
                       AsMatrix(signature.inputs[0], rows).columns);
}

OpCost WeightGradientCost(const OpSignature& signature, std::int64_t rows) {
  return CostOfProduct(signature, rows,
                       AsMatrix(signature.inputs[0], rows).rows);
}

}  // namespace podsim
