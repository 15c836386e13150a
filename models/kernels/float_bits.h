// Float32 numbers as bits, for kernels that must come out the same at every
// level: plain arithmetic and integers, no libm.
#ifndef PODSIM_MODELS_KERNELS_FLOAT_BITS_H_
#define PODSIM_MODELS_KERNELS_FLOAT_BITS_H_

#include <bit>
#include <cstdint>
#include <limits>

namespace podsim::module {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr std::uint32_t kSignBit = 0x80000000U;

inline std::uint32_t Bits(float x) { return std::bit_cast<std::uint32_t>(x); }
inline float FromBits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

inline float Abs(float x) { return FromBits(Bits(x) & ~kSignBit); }

inline float CopySign(float magnitude, float sign) {
  return FromBits((Bits(magnitude) & ~kSignBit) | (Bits(sign) & kSignBit));
}

// 2^k. REQUIRES: -127 < k < 128; what comes out for others means nothing.
inline float PowerOfTwo(std::int32_t k) {
  return FromBits((static_cast<std::uint32_t>(k) + 127U) << 23);
}
inline double DoublePowerOfTwo(std::int32_t k) {
  return std::bit_cast<double>(
      static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023) << 52);
}

// x + kShift has x rounded to an integer, ties to even, in its lowest bits, if
// |x| < 2^22 (2^51).
inline constexpr float kShift = 0x1.8p23F;
inline constexpr double kDoubleShift = 0x1.8p52;

inline std::int32_t ShiftedInteger(float shifted) {
  return static_cast<std::int32_t>(Bits(shifted) - Bits(kShift));
}
inline std::int32_t ShiftedInteger(double shifted) {
  return static_cast<std::int32_t>(
      static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(shifted)));
}

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_FLOAT_BITS_H_
