// Sine, cosine and tangent. x is taken to r = x - q pi/2, |r| <= pi/4, in
// double, where Taylor's series are off by less than 2^-36 of the result; no
// float32 is nearer to a multiple of pi/2 than 2^-30 (Muller, Elementary
// Functions, table of worst cases), of which 2^-60 is lost. So the rounding to
// float32 is what counts.
#ifndef PODSIM_MODELS_KERNELS_TRIGONOMETRY_H_
#define PODSIM_MODELS_KERNELS_TRIGONOMETRY_H_

#include <cstdint>

#include "models/kernels/float_bits.h"

namespace podsim::module {

struct Angle {
  double r;
  std::uint32_t quadrant;  // its two lowest bits
};

// From here on AngleOf is no good and FarAngleOf is.
inline constexpr float kFar = 0x1p17F;
inline bool IsFar(float x) { return !(Abs(x) < kFar); }

// pi/2 in two parts, the first of 33 digits, so that up to 2^17 / (pi/2) times
// it is exact.
inline Angle AngleOf(float a) {
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  constexpr double kHalfPiHigh = 0x1.921fb544p+0;
  constexpr double kHalfPiLow = 0x1.0b4611a626331p-34;
  const double x = a;
  const double shifted = x * kTwoOverPi + kDoubleShift;
  const double q = shifted - kDoubleShift;
  return {(x - q * kHalfPiHigh) - q * kHalfPiLow,
          static_cast<std::uint32_t>(ShiftedInteger(shifted))};
}

// a = m 2^e with m of 24 digits, times 2/pi without what makes multiples of 4:
// m times those 96 digits of 2/pi that begin where they are worth 2 (Payne and
// Hanek), of which the first 64 remain, two before the point.
inline Angle FarAngleOf(float a) {
  // Thirty-two zeros, then the digits of 2/pi.
  constexpr std::uint32_t kDigits[] = {0x00000000U, 0xa2f9836eU, 0x4e441529U,
                                       0xfc2757d1U, 0xf534ddc0U, 0xdb629599U,
                                       0x3c439041U, 0xfe5163abU};
  constexpr double kHalfPiOver2To62 = 0x1.921fb54442d18p-62;
  const std::uint64_t m = (Bits(a) & 0x007fffffU) | 0x00800000U;
  const std::uint32_t first = (Bits(a) >> 23) - 150 + 30;
  const std::uint32_t* digits = kDigits + first / 32;
  const std::uint32_t shift = first % 32;
  const auto word = [&](int i) {
    const std::uint64_t two = std::uint64_t{digits[i]} << 32 | digits[i + 1];
    return (two >> (32 - shift)) & 0xffffffffU;
  };
  const std::uint64_t turns =
      (m * word(0) << 32) + m * word(1) + (m * word(2) >> 32);
  const std::uint64_t quadrant = (turns + (std::uint64_t{1} << 61)) >> 62;
  const auto rest = static_cast<std::int64_t>(turns - (quadrant << 62));
  return {static_cast<double>(rest) * kHalfPiOver2To62,
          static_cast<std::uint32_t>(quadrant)};
}

struct SineAndCosine {
  double sine;
  double cosine;
};

inline SineAndCosine OfSmall(double r) {
  const double z = r * r;
  double s = -1.0 / 39916800;
  s = s * z + 1.0 / 362880;
  s = s * z - 1.0 / 5040;
  s = s * z + 1.0 / 120;
  s = s * z - 1.0 / 6;
  s = r + r * (z * s);
  double c = 1.0 / 479001600;
  c = c * z - 1.0 / 3628800;
  c = c * z + 1.0 / 40320;
  c = c * z - 1.0 / 720;
  c = c * z + 1.0 / 24;
  c = c * z - 0.5;
  return {s, 1.0 + z * c};
}

// sin(r + quadrant pi/2), or its negative where `negative` has the sign bit.
inline float SineOf(const Angle& angle, std::uint32_t negative) {
  const auto [s, c] = OfSmall(angle.r);
  const auto value = static_cast<float>((angle.quadrant & 1U) != 0 ? c : s);
  return FromBits(Bits(value) ^ ((angle.quadrant & 2U) << 30) ^ negative);
}

// tan(r + quadrant pi/2), likewise. No float32 is so near to a pole that its
// tangent overflows.
inline float TangentOf(const Angle& angle, std::uint32_t negative) {
  const auto [s, c] = OfSmall(angle.r);
  const bool odd = (angle.quadrant & 1U) != 0;
  const double quotient = (odd ? -c : s) / (odd ? s : c);
  return FromBits(Bits(static_cast<float>(quotient)) ^ negative);
}

inline Angle QuarterTurned(Angle angle) {
  return {angle.r, angle.quadrant + 1};
}

inline float Sine(float x) {
  return SineOf(AngleOf(Abs(x)), Bits(x) & kSignBit);
}
inline float Cosine(float x) {
  return SineOf(QuarterTurned(AngleOf(Abs(x))), 0);
}
inline float Tangent(float x) {
  return TangentOf(AngleOf(Abs(x)), Bits(x) & kSignBit);
}

// REQUIRES: IsFar(x). NaN for infinities and NaN.
inline float FarSine(float x) {
  if (!(Abs(x) < kInfinity)) return kNan;
  return SineOf(FarAngleOf(Abs(x)), Bits(x) & kSignBit);
}
inline float FarCosine(float x) {
  if (!(Abs(x) < kInfinity)) return kNan;
  return SineOf(QuarterTurned(FarAngleOf(Abs(x))), 0);
}

inline float FarTangent(float x) {
  if (!(Abs(x) < kInfinity)) return kNan;
  return TangentOf(FarAngleOf(Abs(x)), Bits(x) & kSignBit);
}

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_TRIGONOMETRY_H_
