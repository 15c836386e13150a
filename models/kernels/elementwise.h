// Element-wise kernels of a module: plain loops, no Eigen. Contracts are in
// kernel_table.h. Only kernels_module.cc includes this.
#ifndef PODSIM_MODELS_KERNELS_ELEMENTWISE_H_
#define PODSIM_MODELS_KERNELS_ELEMENTWISE_H_

#include <cstdint>

#include "models/kernels/kernel_table.h"

namespace podsim::module {

// Ends with a null op.
extern const PodsimElementwise kElementwise[];

void RoundBfloat16(std::int64_t count, const float* from, float* to);
void AddBias(std::int64_t m, std::int64_t n, const float* x, const float* bias,
             float* out);
void ColumnSums(std::int64_t m, std::int64_t n, const float* x, float* sums,
                std::int32_t accumulate);
void SoftmaxXentGrad(std::int64_t m, std::int64_t n, const float* prob,
                     const std::int32_t* labels, const float* weight,
                     float* dlogits);

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_ELEMENTWISE_H_
