#include "models/graph/op_costs.h"

#include <algorithm>

namespace podsim {
namespace {

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
  cost.products.push_back(
      {c.rows, c.columns, k, signature.attributes.rounded_operands});
  return cost;
}

}  // namespace

OpCost CopyCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost;
  cost.bytes_read = Bytes(signature.inputs, rows);
  cost.bytes_written = Bytes(signature.outputs, rows);
  return cost;
}

OpCost ElementwiseCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  for (const ValueType& type : signature.inputs)
    cost.vector_flops = std::max(cost.vector_flops, Elements(type, rows));
  cost.vector_flops *= static_cast<double>(signature.inputs.size());
  return cost;
}

OpCost SoftmaxCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  // Per logit: maximum, difference, exponential, sum, quotient.
  const double logits = Elements(signature.inputs[0], rows);
  cost.vector_flops = 4 * logits;
  cost.transcendentals = logits;
  return cost;
}

// The unit that writes a value rounds it on the way out, so all that is left
// is the write.
OpCost RoundCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost;
  cost.bytes_written = Bytes(signature.outputs, rows);
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
