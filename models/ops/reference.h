// Ops on numbers, slowly and in double: what kernels and gradients are checked
// against, and what computes an element-wise op that has no kernel yet.
#ifndef PODSIM_MODELS_OPS_REFERENCE_H_
#define PODSIM_MODELS_OPS_REFERENCE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "models/ops/op_entry.h"

namespace podsim {

// `batch_rows`: B, where no operand is batched but a result is. REQUIRES: not
// an update; operands that InferTypes accepts.
std::vector<Tensor> Evaluate(const OpEntry& entry,
                             std::span<const Tensor> inputs,
                             const OpAttributes& attributes,
                             std::int64_t batch_rows = 0);

// How far a float32 kernel may be from `outputs`, Evaluate's for `inputs`.
std::vector<Tensor> ErrorBounds(const OpEntry& entry,
                                std::span<const Tensor> inputs,
                                const OpAttributes& attributes,
                                std::span<const Tensor> outputs,
                                std::int64_t batch_rows = 0);

// Nearest even, with bfloat16's subnormals flushed to zero.
double RoundToBFloat16(double x);

// For ops that add up: sums of bfloat16 are rounded once, at the end, those of
// other types stay as they are.
void RoundSums(Tensor& sums);

// `bounds` of sums before they are rounded, for `sums` that RoundSums rounded.
void AddRounding(const Tensor& sums, Tensor& bounds);

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_REFERENCE_H_
