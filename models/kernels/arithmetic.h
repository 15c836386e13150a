// Element functions that one float32 operation or a choice makes: exact but for
// that operation's rounding. NaN and signed zeros are as models/ops/ says.
#ifndef PODSIM_MODELS_KERNELS_ARITHMETIC_H_
#define PODSIM_MODELS_KERNELS_ARITHMETIC_H_

#include <algorithm>
#include <cstdint>

#include "models/kernels/float_bits.h"

namespace podsim::module {

// NaN stays NaN.
inline float Relu(float x) { return x <= 0 ? 0.0F : x; }
inline float ReluGrad(float dy, float y) { return y > 0 ? dy : 0.0F; }

inline float Negate(float x) { return -x; }
inline float Sign(float x) { return x > 0 ? 1.0F : x < 0 ? -1.0F : x; }

inline float Add(float a, float b) { return a + b; }
inline float Subtract(float a, float b) { return a - b; }
inline float Multiply(float a, float b) { return a * b; }
inline float Divide(float a, float b) { return a / b; }

// Of equal numbers only zeros differ, by their sign. a + b is NaN.
inline float Maximum(float a, float b) {
  const float equal = FromBits(Bits(a) & Bits(b));
  const float unordered = a + b;
  return a > b ? a : b > a ? b : a == b ? equal : unordered;
}
inline float Minimum(float a, float b) {
  const float equal = FromBits(Bits(a) | Bits(b));
  const float unordered = a + b;
  return a < b ? a : b < a ? b : a == b ? equal : unordered;
}
// NaN where an infinite or NaN dy is left out, as 0 times it is.
inline float MaximumGrad(float dy, float a, float b) {
  const float half = 0.5F * dy;
  const float none = 0.0F * dy;
  return a > b ? dy : a == b ? half : none;
}
inline float Clamp(float low, float x, float high) {
  return Minimum(Maximum(x, low), high);
}

// Long division of the 24-bit integers x and y consist of, 40 bits of the
// quotient at a time, of which the rest alone is kept: exact.
inline float Remainder(float x, float y) {
  const std::uint32_t a = Bits(Abs(x));
  const std::uint32_t b = Bits(Abs(y));
  const std::uint32_t infinity = Bits(kInfinity);
  if (a >= infinity || b > infinity || b == 0) return kNan;
  if (a < b) return x;
  constexpr std::uint32_t kHidden = 0x00800000U;
  const auto digits = [](std::uint32_t bits) -> std::uint64_t {
    const std::uint32_t fraction = bits & (kHidden - 1);
    return bits < kHidden ? fraction : fraction | kHidden;
  };
  const auto exponent = [](std::uint32_t bits) {
    return std::max(static_cast<std::int32_t>(bits >> 23), 1);
  };
  const std::uint64_t divisor = digits(b);
  std::uint64_t rest = digits(a) % divisor;
  constexpr std::int32_t kStep = 40;
  std::int32_t left = exponent(a) - exponent(b);
  for (; left > 0; left -= kStep)
    rest = (rest << std::min(left, kStep)) % divisor;
  // The exponent is that of the last digit, times 2^150.
  const double whole =
      static_cast<double>(rest) * DoublePowerOfTwo(exponent(b) - 150);
  return CopySign(static_cast<float>(whole), x);
}

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_ARITHMETIC_H_
