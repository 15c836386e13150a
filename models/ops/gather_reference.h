// gather, scatter and their gradients by plain loops, and how far kernels may
// be from them. See OpEntry.
#ifndef PODSIM_MODELS_OPS_GATHER_REFERENCE_H_
#define PODSIM_MODELS_OPS_GATHER_REFERENCE_H_

#include <span>

#include "models/ops/tensor.h"

namespace podsim {

void Gather(std::span<const Tensor> inputs, const OpAttributes& attributes,
            std::span<Tensor> outputs);
void GatherGrad(std::span<const Tensor> inputs, const OpAttributes& attributes,
                std::span<Tensor> outputs);
void BoundGatherGrad(std::span<const Tensor> inputs,
                     const OpAttributes& attributes,
                     std::span<const Tensor> outputs, std::span<Tensor> bounds);

void Scatter(std::span<const Tensor> inputs, const OpAttributes& attributes,
             std::span<Tensor> outputs);
void BoundScatterAdd(std::span<const Tensor> inputs,
                     const OpAttributes& attributes,
                     std::span<const Tensor> outputs, std::span<Tensor> bounds);
void ScatterGrad(std::span<const Tensor> inputs, const OpAttributes& attributes,
                 std::span<Tensor> outputs);

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_GATHER_REFERENCE_H_
