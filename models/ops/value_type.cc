#include "models/ops/value_type.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace podsim {

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

}  // namespace podsim
