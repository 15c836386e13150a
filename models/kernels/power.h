// Roots and powers. Where double is used, its own error is below 2^-12 of a
// float32's: the one rounding to float32 is what counts. Units are 2^-24 of the
// result.
#ifndef PODSIM_MODELS_KERNELS_POWER_H_
#define PODSIM_MODELS_KERNELS_POWER_H_

#include <bit>
#include <cstdint>

#include "models/kernels/float_bits.h"
#include "models/kernels/rounding.h"

namespace podsim::module {

// One instruction (IEEE: rounded once), as no errno is asked for.
inline float Sqrt(float x) { return __builtin_sqrtf(x); }

// Two roundings.
inline float Rsqrt(float x) { return 1.0F / Sqrt(x); }

// A third of the bits, exponent and all, is the root within 4% (Kahan); each of
// Halley's steps leaves 2/3 of the cube of that: 4e-5, then 1e-13.
inline float Cbrt(float x) {
  constexpr std::uint64_t kTwoThirdsOfBias = 0x2a9f78939b40fa00U;
  const double a = Abs(x);
  double t = std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) / 3 +
                                   kTwoThirdsOfBias);
  for (int step = 0; step < 2; ++step) {
    const double cube = t * t * t;
    t = t * (cube + 2 * a) / (2 * cube + a);
  }
  const float root = CopySign(static_cast<float>(t), x);
  const float same = x + x;
  return x == 0 || !(Abs(x) < kInfinity) ? same : root;
}

// x = 2^k m with m in [sqrt(1/2), sqrt(2)); log(m) is twice the area tangent of
// s = (m - 1) / (m + 1), |s| < 0.172, whose series after s^15 is off by s^16 /
// 17 < 2^-44 of it. REQUIRES: x positive and finite, else it means nothing; a
// float32's subnormals are normal here.
inline double DoubleLog(double x) {
  constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcdU;
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) - kSqrtHalf;
  const auto k =
      static_cast<std::int32_t>(static_cast<std::int64_t>(bits) >> 52);
  const double m =
      std::bit_cast<double>((bits & 0x000fffffffffffffU) + kSqrtHalf);
  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  double p = 1.0 / 15;
  p = p * z + 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  return static_cast<double>(k) * kLn2 + (2 * s + 2 * s * (z * p));
}

// Taylor's series up to r^10 / 10! for |r| < 0.347: off by less than 2^-41.
// REQUIRES: |x| at most 200, or NaN.
inline double DoubleExponential(double x) {
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  const double shifted = x * kLog2E + kDoubleShift;
  const double r = x - (shifted - kDoubleShift) * kLn2;
  double p = 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return p * DoublePowerOfTwo(ShiftedInteger(shifted));
}

// |x|^y = e^(y log|x|). Where that is a float32, |y log|x|| < 104, and known to
// 2^-37. Ends beyond 200 leave float32's range all the same.
inline float PowerOfMagnitude(float a, float y) {
  const double log = a == 0          ? -static_cast<double>(kInfinity)
                     : a < kInfinity ? DoubleLog(a)
                                     : static_cast<double>(a);
  // 1^y and a^0 are 1 for NaN and infinities too.
  const double exponent = a == 1.0F || y == 0 ? 0.0 : y * log;
  const double low = exponent < -200 ? -200 : exponent;
  return static_cast<float>(DoubleExponential(low > 200 ? 200 : low));
}

// IEEE 754's pow: negative numbers have powers of integers alone, odd ones keep
// the sign, of zeros and infinities too; an infinite y counts as even.
inline float Power(float x, float y) {
  const float magnitude = PowerOfMagnitude(Abs(x), y);
  const float half = 0.5F * y;
  const bool whole = RoundNearestEven(y) == y;
  const bool odd = whole && RoundNearestEven(half) != half;
  const bool undefined = x < 0 && x > -kInfinity && !whole;
  const float power = odd ? CopySign(magnitude, x) : magnitude;
  // NaN^odd is NaN already.
  return undefined ? kNan : power;
}

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_POWER_H_
