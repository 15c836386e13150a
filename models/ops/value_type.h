// What is known of a value before anything runs.
#ifndef PODSIM_MODELS_OPS_VALUE_TYPE_H_
#define PODSIM_MODELS_OPS_VALUE_TYPE_H_

#include <cstdint>
#include <string>

#include "models/ops/shape.h"

namespace podsim {

// A batched value has one more dimension in front, B, that `shape` leaves out.
struct ValueType {
  DType dtype = DType::kFloat32;
  Shape shape;
  bool batched = false;
  bool operator==(const ValueType&) const = default;
};

// "[B, 64]", "[64, 10]", "int32 [B]".
std::string ToString(const ValueType& type);

// A value as a matrix of `rows` x `columns`: a batched value has a row per
// example, another one a row per index of all dimensions but the last.
struct MatrixView {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};
MatrixView AsMatrix(const ValueType& type, std::int64_t batch_rows);

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_VALUE_TYPE_H_
