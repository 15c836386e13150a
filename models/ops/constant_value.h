// What a constant without data has in each element.
#ifndef PODSIM_MODELS_OPS_CONSTANT_VALUE_H_
#define PODSIM_MODELS_OPS_CONSTANT_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "models/ops/op.h"

namespace podsim {

inline constexpr char kBatchPower[] = "batch_power";

// `dims`: of attributes.shape with a number for B.
inline double ConstantFor(const OpAttributes& attributes,
                          std::span<const std::int64_t> dims) {
  const std::int64_t power = attributes.Int(kBatchPower, 0);
  if (power == 0) return attributes.value;
  const auto axis = static_cast<std::size_t>(attributes.shape.batch_axis);
  const std::int64_t examples = dims[axis] / attributes.shape.dims[axis];
  const auto batch = static_cast<double>(examples);
  return power > 0 ? attributes.value * batch : attributes.value / batch;
}

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_CONSTANT_VALUE_H_
