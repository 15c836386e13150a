// A unit for pairs of bfloat16 in plain C++, for machines without AVX512-BF16:
// VDPBF16PS as Intel's "64 and IA-32 Architectures Software Developer's
// Manual", volume 2, defines it in its operation section. The product of the
// upper halves is added to the sum first, then that of the lower ones, each by
// a fused multiply-add. Round to nearest even; denormal inputs and outputs
// count as zero.
#ifndef PODSIM_TESTS_MODELS_KERNELS_EMULATED_PAIRS_H_
#define PODSIM_TESTS_MODELS_KERNELS_EMULATED_PAIRS_H_

#include <cstdint>

#include "models/kernels/kernel_table.h"

namespace podsim {

// One lane.
float EmulateVdpbf16ps(std::uint32_t left, std::uint32_t right, float sum);

// The reference's table with bfloat16 products on the emulated unit; its isa is
// "bf16", as the same bounds hold.
const PodsimKernels& EmulatedPairKernels();

}  // namespace podsim

#endif  // PODSIM_TESTS_MODELS_KERNELS_EMULATED_PAIRS_H_
