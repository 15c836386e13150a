#include "models/ops/value_type.h"

#include "absl/strings/str_cat.h"

namespace podsim {

std::string ToString(const ValueType& type) {
  return absl::StrCat(
      type.per_core ? "per core " : "",
      type.dtype == DType::kFloat32 ? "" : ToString(type.dtype) + " ",
      ToString(type.shape));
}

MatrixView AsMatrix(const ValueType& type, std::int64_t batch_rows) {
  if (type.batched()) return {batch_rows, type.shape.elements()};
  if (type.shape.dims.empty()) return {1, 1};
  const std::int64_t columns = type.shape.dims.back();
  return {columns == 0 ? 0 : type.shape.elements() / columns, columns};
}

}  // namespace podsim
