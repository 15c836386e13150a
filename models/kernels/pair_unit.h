// The CPU's own unit for pairs of bfloat16: AVX512-BF16. Only for files
// compiled with it, and only where CpuIsa() says "bf16" or higher.
#ifndef PODSIM_MODELS_KERNELS_PAIR_UNIT_H_
#define PODSIM_MODELS_KERNELS_PAIR_UNIT_H_

#include <immintrin.h>

#include <bit>

#include "models/kernels/register_block.h"

namespace podsim::module {

// A unit of pair_product.h. Per lane the product of the upper halves is added
// first, then that of the lower ones, each fused; denormals, of operands and of
// sums, count as zero (Intel's manual, volume 2, on VDPBF16PS).
struct PairUnit {
  static Vector Add(const Vector& left, const Vector& right,
                    const Vector& sum) {
    return _mm512_dpbf16_ps(sum, std::bit_cast<__m512bh>(left),
                            std::bit_cast<__m512bh>(right));
  }
};

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_PAIR_UNIT_H_
