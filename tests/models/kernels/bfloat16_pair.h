// Pairs of bfloat16 in 32 bits, read as the CPUs' units for them do: a denormal
// counts as zero of its sign.
#ifndef PODSIM_TESTS_MODELS_KERNELS_BFLOAT16_PAIR_H_
#define PODSIM_TESTS_MODELS_KERNELS_BFLOAT16_PAIR_H_

#include <bit>
#include <cmath>
#include <cstdint>

namespace podsim {

inline float WithoutDenormal(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value)
                                                : value;
}

inline float Low(std::uint32_t pair) {
  return WithoutDenormal(std::bit_cast<float>(pair << 16));
}

inline float High(std::uint32_t pair) {
  return WithoutDenormal(std::bit_cast<float>(pair & 0xffff0000u));
}

}  // namespace podsim

#endif  // PODSIM_TESTS_MODELS_KERNELS_BFLOAT16_PAIR_H_
