// Rounding to integers, exact. The sign of x stays, of zeros too; NaN and
// infinities stay what they are.
#ifndef PODSIM_MODELS_KERNELS_ROUNDING_H_
#define PODSIM_MODELS_KERNELS_ROUNDING_H_

#include "models/kernels/float_bits.h"

namespace podsim::module {

// From 2^23 on all numbers are integers; below, adding it leaves no room for a
// fraction.
inline float RoundNearestEven(float x) {
  constexpr float kIntegers = 0x1p23F;
  const float a = Abs(x);
  const float rounded = (a + kIntegers) - kIntegers;
  return CopySign(a < kIntegers ? rounded : a, x);
}

inline float Floor(float x) {
  const float near = RoundNearestEven(x);
  const float below = near - 1.0F;
  return CopySign(near > x ? below : near, x);
}

inline float Ceil(float x) {
  const float near = RoundNearestEven(x);
  const float above = near + 1.0F;
  return CopySign(near < x ? above : near, x);
}

// Half a unit above the even neighbour is a tie that went down; a difference
// of neighbours is exact.
inline float RoundNearestAfz(float x) {
  const float a = Abs(x);
  const float near = RoundNearestEven(a);
  const float above = near + 1.0F;
  return CopySign(a - near == 0.5F ? above : near, x);
}

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_ROUNDING_H_
