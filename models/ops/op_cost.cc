#include "models/ops/op_cost.h"

#include <algorithm>

namespace podsim {

double UsefulMultiplyAdds(const MatrixProduct& product) {
  const double each = static_cast<double>(product.m) *
                      static_cast<double>(product.n) *
                      static_cast<double>(product.k);
  return static_cast<double>(product.count) *
         (each - product.idle_multiply_adds);
}

double Elements(const ValueType& type, std::int64_t rows) {
  return static_cast<double>(type.shape.elements()) *
         static_cast<double>(type.batched() ? rows : 1);
}

double Bytes(std::span<const ValueType> types, std::int64_t rows) {
  double bytes = 0;
  for (const ValueType& type : types)
    bytes += Elements(type, rows) * static_cast<double>(SizeOf(type.dtype));
  return bytes;
}

OpCost CopyCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost;
  cost.bytes_read = Bytes(signature.inputs, rows);
  cost.bytes_written = Bytes(signature.outputs, rows);
  return cost;
}

OpCost PartCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  const double whole = Bytes(signature.inputs.first(1), rows);
  cost.bytes_read += std::min(cost.bytes_written, whole) - whole;
  return cost;
}

}  // namespace podsim
