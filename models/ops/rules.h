// What the families' shape rules, samples and error bounds share.
#ifndef PODSIM_MODELS_OPS_RULES_H_
#define PODSIM_MODELS_OPS_RULES_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "models/ops/value_type.h"

namespace podsim {

using Types = std::span<const ValueType>;
using Inferred = absl::StatusOr<std::vector<ValueType>>;

inline absl::Status Bad(const std::string& why) {
  return absl::InvalidArgumentError(why);
}

inline bool IsFloat(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kBFloat16;
}

// A batch of vectors or a matrix, in float32.
inline bool IsRows(const ValueType& type) {
  return type.dtype == DType::kFloat32 && type.shape.rank() == 2 &&
         (!type.batched() ||
          (type.shape.batch_axis == 0 && type.shape.dims[0] == 1));
}

inline bool IsMatrix(const ValueType& type) {
  return !type.batched() && IsRows(type);
}

// [B].
inline bool IsPerRow(const ValueType& type, DType dtype) {
  return type == ValueType{dtype, WithBatch({}), false};
}

// REQUIRES: at least one dimension.
inline std::int64_t Columns(const ValueType& type) {
  return type.shape.dims.back();
}

inline ValueType WithColumns(ValueType type, std::int64_t columns) {
  type.shape.dims.back() = columns;
  return type;
}

// [B, dims...], [dims...] with B in dimension `axis`, and [dims...].
inline ValueType Batched(std::vector<std::int64_t> dims,
                         DType dtype = DType::kFloat32) {
  return {dtype, WithBatch({std::move(dims)})};
}

inline ValueType BatchedAt(int axis, std::vector<std::int64_t> dims,
                           DType dtype = DType::kFloat32) {
  return {dtype, {std::move(dims), axis}};
}

inline ValueType Plain(std::vector<std::int64_t> dims,
                       DType dtype = DType::kFloat32) {
  return {dtype, {std::move(dims)}};
}

// Float32's unit roundoff: one operation is off by at most so much of its
// result.
inline constexpr double kRoundoff = 0x1p-24;

// Slack for what underflows.
inline constexpr double kTiny = 0x1p-120;

// A sum of n terms, in any order, is off by at most so much of the sum of their
// magnitudes (Higham, Accuracy and Stability of Numerical Algorithms, 4.2).
inline double SumError(double n) { return n * kRoundoff / (1 - n * kRoundoff); }

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_RULES_H_
