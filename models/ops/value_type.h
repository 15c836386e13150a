// What is known of a value before anything runs.
#ifndef PODSIM_MODELS_OPS_VALUE_TYPE_H_
#define PODSIM_MODELS_OPS_VALUE_TYPE_H_

#include <cstdint>
#include <string>

#include "models/ops/shape.h"

namespace podsim {

struct ValueType {
  DType dtype = DType::kFloat32;
  Shape shape;
  // It has no B, but was computed from what has (a sum over the batch), so that
  // each core has its own. For InferTypes (op_table.h) to say.
  bool per_core = false;

  bool batched() const { return shape.batched(); }
  bool operator==(const ValueType&) const = default;
};

// "[B, 64]", "[64, 10]", "int32 [B]".
std::string ToString(const ValueType& type);

// A value as a matrix of `rows` x `columns`: a batched value has as many rows
// as there are examples, another one a row per index of all dimensions but the
// last. A batched value's rows are its examples if B is its outermost
// dimension; else they are only pieces of equal size.
struct MatrixView {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};
MatrixView AsMatrix(const ValueType& type, std::int64_t batch_rows);

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_VALUE_TYPE_H_
