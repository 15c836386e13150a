// Natural logarithms. Errors are counted in units of 2^-24 of the result.
#ifndef PODSIM_MODELS_KERNELS_LOGARITHM_H_
#define PODSIM_MODELS_KERNELS_LOGARITHM_H_

#include <cstdint>

#include "models/kernels/exponential.h"
#include "models/kernels/float_bits.h"

namespace podsim::module {

// x = 2^k m with m in [sqrt(1/2), sqrt(2)). REQUIRES: x positive and normal;
// what comes out for others means nothing.
struct SplitNumber {
  std::int32_t k;
  float m;
};

inline SplitNumber SplitOf(float x) {
  constexpr std::uint32_t kSqrtHalf = 0x3f3504f3U;
  const std::uint32_t bits = Bits(x) - kSqrtHalf;
  return {static_cast<std::int32_t>(bits) >> 23,
          FromBits((bits & 0x007fffffU) + kSqrtHalf)};
}

// k ln2 + log(1 + f), the latter as f - f^2 / 2 + f^3 p(f) with p off by less
// than 2^-30 of f (least of maxima, found numerically). Where k is not 0 the
// result is no less than 0.34, of which the tail's roundings are 0.5 units, its
// sum's with f 0.7 and the last one's 1; where k is 0 the tail's are 0.7 of f
// and its sum's with f 1. So it is off by less than 3 (1.4 over dense points).
inline float LogOfSplit(std::int32_t k, float f) {
  const auto n = static_cast<float>(k);
  const float z = f * f;
  float p = 6.91542476e-2F;
  p = p * f - 0.117898352F;
  p = p * f + 0.118729658F;
  p = p * f - 0.123843431F;
  p = p * f + 0.142186582F;
  p = p * f - 0.16669251F;
  p = p * f + 0.200022265F;
  p = p * f - 0.249999866F;
  p = p * f + 0.333333105F;
  const float tail = (f * z * p + n * kLn2Low) - 0.5F * z;
  return (f + tail) + n * kLn2High;
}

// Subnormals are scaled into the normal range first.
inline float Log(float x) {
  constexpr float kNormal = 0x1p-126F;
  constexpr float kScale = 0x1p25F;
  const float scaled = x * kScale;
  const SplitNumber split = SplitOf(x < kNormal ? scaled : x);
  const std::int32_t k = x < kNormal ? split.k - 25 : split.k;
  const float log = LogOfSplit(k, split.m - 1.0F);
  const float finite = x < kInfinity ? log : x;
  const float below = x == 0 ? -kInfinity : kNan;
  return x > 0 ? finite : below;
}

// log(u + c) with u the rounded 1 + x and c what the rounding lost (the sum of
// two numbers without error, Knuth 4.2.2, theorem B). m - 1 is exact, and where
// k is 0 so is the sum with c, which is x again; elsewhere its rounding adds
// 0.7 units to those of the logarithm. From 2^25 on c is nothing.
inline float LogPlusOne(float x) {
  const float u = 1.0F + x;
  const float back = u - 1.0F;
  const float c = (1.0F - (u - back)) + (x - back);
  const SplitNumber split = SplitOf(u);
  const std::int32_t k = split.k < 100 ? split.k : 100;
  const float f = (split.m - 1.0F) + c * PowerOfTwo(-k);
  const float log = LogOfSplit(split.k, f);
  const float finite = x < kInfinity ? log : x;
  const float below = x == -1.0F ? -kInfinity : kNan;
  const float y = x > -1.0F ? finite : below;
  return x == 0 ? x : y;
}

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_LOGARITHM_H_
