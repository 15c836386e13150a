#include "models/ops/shape.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"

namespace podsim {

std::int64_t SizeOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kInt32:
    case DType::kUint32:
      return 4;
    case DType::kBFloat16:
      return 2;
    case DType::kUint8:
    case DType::kBool:
      return 1;
  }
  PODSIM_CHECK(!"a DType of the list");
  return 0;
}

std::string ToString(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "float32";
    case DType::kBFloat16:
      return "bfloat16";
    case DType::kInt32:
      return "int32";
    case DType::kUint32:
      return "uint32";
    case DType::kUint8:
      return "uint8";
    case DType::kBool:
      return "bool";
  }
  PODSIM_CHECK(!"a DType of the list");
  return "";
}

bool IsWithinBounds(const Shape& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t dim : shape.dims) {
    if (dim < 0 || dim > kMostShapeElements / elements) return false;
    elements *= std::max<std::int64_t>(dim, 1);
  }
  return true;
}

Shape WithBatch(Shape example) {
  PODSIM_CHECK(!example.batched());
  example.dims.insert(example.dims.begin(), 1);
  example.batch_axis = 0;
  return example;
}

Shape ExampleOf(Shape batch) {
  PODSIM_CHECK(batch.batch_axis == 0 && batch.dims[0] == 1);
  batch.dims.erase(batch.dims.begin());
  batch.batch_axis = -1;
  return batch;
}

std::vector<std::int64_t> DimsFor(const Shape& shape, std::int64_t batch) {
  std::vector<std::int64_t> dims = shape.dims;
  if (shape.batched())
    dims[static_cast<std::size_t>(shape.batch_axis)] *= batch;
  return dims;
}

std::string ToString(const Shape& shape) {
  std::vector<std::string> dims;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const std::int64_t dim = shape.dims[static_cast<std::size_t>(axis)];
    dims.push_back(axis != shape.batch_axis ? absl::StrCat(dim)
                   : dim == 1               ? "B"
                                            : absl::StrCat(dim, "*B"));
  }
  return absl::StrCat("[", absl::StrJoin(dims, ", "), "]");
}

}  // namespace podsim
