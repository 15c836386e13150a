// Arithmetic of whole numbers, for the slow references: in 64 bits, then what
// the type can hold. As XLA defines what StableHLO leaves open: a quotient by 0
// has all bits set, a remainder by 0 is the dividend.
#ifndef PODSIM_MODELS_OPS_WHOLE_NUMBERS_H_
#define PODSIM_MODELS_OPS_WHOLE_NUMBERS_H_

#include <cstdint>

#include "models/ops/shape.h"

namespace podsim {

inline bool IsWhole(DType dtype) {
  return dtype == DType::kInt32 || dtype == DType::kUint32 ||
         dtype == DType::kUint8;
}

inline int BitsOf(DType dtype) { return dtype == DType::kUint8 ? 8 : 32; }

// x modulo 2^bits, with the sign bit of int32. REQUIRES: whole numbers.
inline std::int64_t Wrapped(std::int64_t x, DType dtype) {
  if (dtype == DType::kInt32) return static_cast<std::int32_t>(x);
  if (dtype == DType::kUint32) return static_cast<std::uint32_t>(x);
  return static_cast<std::uint8_t>(x);
}

inline std::int64_t WholeQuotient(std::int64_t a, std::int64_t b) {
  return b == 0 ? -1 : a / b;
}

inline std::int64_t WholeRemainder(std::int64_t a, std::int64_t b) {
  return b == 0 ? a : a % b;
}

// 0 of a negative exponent, but of 1 and -1.
inline std::int64_t WholePower(std::int64_t base, std::int64_t exponent) {
  const bool odd = exponent % 2 != 0;
  if (exponent < 0) return base == 1 ? 1 : base != -1 ? 0 : odd ? -1 : 1;
  std::uint64_t power = 1;
  auto square = static_cast<std::uint64_t>(base);
  for (; exponent > 0; exponent /= 2, square *= square)
    if (exponent % 2 != 0) power *= square;
  return static_cast<std::int64_t>(power);
}

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_WHOLE_NUMBERS_H_
