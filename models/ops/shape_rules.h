// What the shape rules of ops over any dimensions share, B included.
#ifndef PODSIM_MODELS_OPS_SHAPE_RULES_H_
#define PODSIM_MODELS_OPS_SHAPE_RULES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "models/ops/index_loops.h"
#include "models/ops/op.h"
#include "models/ops/op_cost.h"
#include "models/ops/rules.h"

namespace podsim {

inline std::int64_t FactorOf(const Shape& shape, std::int64_t dim) {
  return shape.dims[static_cast<std::size_t>(dim)];
}

// "32", "B", "8*B".
inline std::string SizeText(const Shape& shape, std::int64_t dim) {
  const std::int64_t factor = FactorOf(shape, dim);
  if (dim != shape.batch_axis) return absl::StrCat(factor);
  return factor == 1 ? "B" : absl::StrCat(factor, "*B");
}

inline bool SameSize(const Shape& a, std::int64_t dim_of_a, const Shape& b,
                     std::int64_t dim_of_b) {
  return FactorOf(a, dim_of_a) == FactorOf(b, dim_of_b) &&
         (dim_of_a == a.batch_axis) == (dim_of_b == b.batch_axis);
}

// Dimensions of `from`, B where it has it, behind those of `to`.
inline void AppendDims(const Shape& from, DimsView dims, Shape& to) {
  for (const std::int64_t dim : dims) {
    if (dim == from.batch_axis) to.batch_axis = to.rank();
    to.dims.push_back(FactorOf(from, dim));
  }
}

// Each a dimension of [0, rank), none twice.
inline absl::Status CheckDimensions(const std::string& name, DimsView dims,
                                    int rank) {
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (dims[i] < 0 || dims[i] >= rank || Contains(dims.first(i), dims[i]))
      return Bad(absl::StrCat(name, " are ", absl::StrJoin(dims, ", "),
                              ", not different ones of [0, ", rank, ")"));
  return absl::OkStatus();
}

// For kernels that read float32 alone.
inline absl::Status NeedFloats(Types in) {
  for (const ValueType& type : in)
    if (type.dtype != DType::kFloat32) return Bad("needs float32");
  return absl::OkStatus();
}

// For ops that add bfloat16 up in float32 and round once.
inline absl::Status NeedFloatsOfOneType(Types in) {
  for (const ValueType& type : in) {
    if (!IsFloat(type.dtype)) return Bad("needs float32 or bfloat16");
    if (type.dtype != in[0].dtype)
      return Bad("all operands must have the same type");
  }
  return absl::OkStatus();
}

// Whether B is the outermost dimension of the result and of all operands that
// have it: for ops that then make each row of the result from the same row of
// these.
inline bool IsByRows(const OpSignature& use) {
  for (const ValueType& type : use.inputs)
    if (type.batched() && type.shape.batch_axis != 0) return false;
  for (const ValueType& type : use.outputs)
    if (type.shape.batch_axis != 0) return false;
  return true;
}

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_SHAPE_RULES_H_
