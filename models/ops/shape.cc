#include "models/ops/shape.h"

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

std::string ToString(const Shape& shape) {
  return absl::StrCat("[", absl::StrJoin(shape.dims, ", "), "]");
}

}  // namespace podsim
