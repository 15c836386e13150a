// Kernels of element-wise ops for whole numbers.
#ifndef PODSIM_HOST_CORE_WHOLE_KERNELS_H_
#define PODSIM_HOST_CORE_WHOLE_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "models/ops/shape.h"

namespace podsim {

inline constexpr std::size_t kMostWholeOperands = 3;

// `count` elements of int32, uint32 or uint8.
using WholeKernel = void (*)(DType dtype, std::int64_t count,
                             std::size_t operands, const std::byte* const* in,
                             std::byte* out);

// Null if the op has none (ScalarFunction::whole).
WholeKernel FindWholeKernel(std::string_view op);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_WHOLE_KERNELS_H_
