// Lines of neighbouring numbers folded into one each, and numbers spread over
// lines: what fused softmaxes and norms do beside element-wise functions.
// Contracts are in kernel_table.h. Only kernels_module.cc includes this.
#ifndef PODSIM_MODELS_KERNELS_LINES_H_
#define PODSIM_MODELS_KERNELS_LINES_H_

#include <cstdint>

namespace podsim::module {

void SumLines(std::int64_t lines, std::int64_t length, const float* x,
              float* out);
void MaximumOfLines(std::int64_t lines, std::int64_t length, const float* x,
                    float* out);
void MinimumOfLines(std::int64_t lines, std::int64_t length, const float* x,
                    float* out);
void SpreadLines(std::int64_t lines, std::int64_t length, const float* x,
                 float* out);

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_LINES_H_
