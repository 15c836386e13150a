// Functions of e^x. Errors are counted in units of 2^-24 of the result.
#ifndef PODSIM_MODELS_KERNELS_EXPONENTIAL_H_
#define PODSIM_MODELS_KERNELS_EXPONENTIAL_H_

#include <cstdint>

#include "models/kernels/float_bits.h"

namespace podsim::module {

// ln 2 in two parts; the first has 15 digits, so that its products with
// exponents are exact.
inline constexpr float kLn2High = 0x1.62e4p-1F;
inline constexpr float kLn2Low = 1.4286068e-6F;

// e^x = 2^k (1 + p).
struct SplitExponential {
  std::int32_t k;
  float p;
};

// x = k ln2 + r with |r| < 0.3467; p = e^r - 1 by a polynomial r + r^2 q(r)
// that is off by less than 2^-34 (least of maxima, found numerically). r is off
// by at most 0.25 units of 1, the last sum by 0.25 more where it is below 0.5,
// products inside by 0.1.
inline SplitExponential Split(float x) {
  constexpr float kLog2E = 1.44269502F;
  const float shifted = x * kLog2E + kShift;
  const float n = shifted - kShift;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  float q = 1.99184258e-4F;
  q = q * r + 1.39461039e-3F;
  q = q * r + 8.33326392e-3F;
  q = q * r + 4.16662693e-2F;
  q = q * r + 0.166666672F;
  q = q * r + 0.5F;
  return {ShiftedInteger(shifted), r + r * (r * q)};
}

// (1 + p) 2^k in two steps: the first exact, and no power of two out of range.
inline float Scaled(const SplitExponential& split) {
  const std::int32_t half = split.k >> 1;
  return (1.0F + split.p) * PowerOfTwo(half) * PowerOfTwo(split.k - half);
}

// Off by less than 2 units: p's 0.6 of 1 and the sum's 0.5 where e^r is below 1
// but no less than 0.7, else p's 0.6 and the sum's 1 (1.4 over dense points).
// Beyond the ends results are 0 and infinity.
inline float Exponential(float x) {
  constexpr float kLow = -104.5F;
  constexpr float kHigh = 89.0F;
  const float low = x < kLow ? kLow : x;
  return Scaled(Split(low > kHigh ? kHigh : low));
}

// 2^k p + (2^k - 1), where the second part is exact up to k = 24 and all but
// the 1 beyond. Without k the result is p, off by 1.3 units; at k = 1 it is
// least beside its parts (0.41 of 1 + 2 * -0.29), and so off by less than 4.
inline float ExponentialMinusOne(float x) {
  constexpr float kLow = -30.0F;
  constexpr float kHigh = 89.0F;
  constexpr std::int32_t kOneIsLost = 30;
  const float low = x < kLow ? kLow : x;
  const SplitExponential split = Split(low > kHigh ? kHigh : low);
  const float power = PowerOfTwo(split.k);
  const float near = power * split.p + (power - 1.0F);
  const float far = Scaled(split);
  const float y = split.k > kOneIsLost ? far : near;
  return x == 0 ? x : y;
}

// By e^-|x|, which is at most 1: e / (1 + e) where x is negative. Off by the
// exponential's 2 units, the sum's 1 and the quotient's 1.
inline float Logistic(float x) {
  const float e = Exponential(-Abs(x));
  const float above = x < 0 ? e : 1.0F;
  return above / (1.0F + e);
}

// Lambert's continued fraction z / (1 + z^2 / (3 + z^2 / (5 + ...))) up to 15
// (Abramowitz and Stegun 4.5.70), written as one quotient. It is off by less
// than 2e-9 at a quarter of any x whose tanh is not 1 in float32, and tanh(2z)
// = 2t / (1 + t^2) leads back to x, making errors no larger on the way. All
// coefficients are float32 numbers. With the roundings of the polynomials (at
// most 4 near 0, where errors stay as they are) and of two doublings (2 each)
// the result is off by less than 10 units of 2^-24. From 13 ln 2 on, where the
// tanh is nearer to 1 than to the number below, it is 1: derivatives multiply
// what is left of it by powers of x.
inline float Tanh(float x) {
  constexpr float kFlat = 9.0109138F;
  const float near = x > kFlat ? kFlat : x < -kFlat ? -kFlat : x;
  const float z = 0.25f * near;
  const float s = z * z;
  const float above =
      z * (((36.0f * s + 6930.0f) * s + 270270.0f) * s + 2027025.0f);
  const float below =
      (((s + 630.0f) * s + 51975.0f) * s + 945945.0f) * s + 2027025.0f;
  const float quarter = above / below;
  const float half = (quarter + quarter) / (quarter * quarter + 1.0f);
  const float whole = (half + half) / (half * half + 1.0f);
  return x >= kFlat      ? 1.0F
         : x <= -kFlat   ? -1.0F
         : whole > 1.0F  ? 1.0F
         : whole < -1.0F ? -1.0F
                         : whole;
}

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_EXPONENTIAL_H_
