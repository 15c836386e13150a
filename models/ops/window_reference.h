// reduce_window and select_and_scatter by plain loops, and how far kernels may
// be from them. See OpEntry.
#ifndef PODSIM_MODELS_OPS_WINDOW_REFERENCE_H_
#define PODSIM_MODELS_OPS_WINDOW_REFERENCE_H_

#include <span>

#include "models/ops/tensor.h"

namespace podsim {

void EvaluateWindows(std::span<const Tensor> inputs,
                     const OpAttributes& attributes, std::span<Tensor> outputs);
void BoundWindows(std::span<const Tensor> inputs,
                  const OpAttributes& attributes,
                  std::span<const Tensor> outputs, std::span<Tensor> bounds);

void EvaluateScatter(std::span<const Tensor> inputs,
                     const OpAttributes& attributes, std::span<Tensor> outputs);
void BoundScatter(std::span<const Tensor> inputs,
                  const OpAttributes& attributes,
                  std::span<const Tensor> outputs, std::span<Tensor> bounds);

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_WINDOW_REFERENCE_H_
