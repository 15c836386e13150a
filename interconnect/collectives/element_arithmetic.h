// What the loops of a collective know of an element and of an op: arguments of
// their templates, all inlined.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_ELEMENT_ARITHMETIC_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_ELEMENT_ARITHMETIC_H_

#include <bit>
#include <cstdint>

#define PODSIM_INLINE inline __attribute__((always_inline))

namespace podsim::arithmetic {

// An element in memory: its bytes, and what arithmetic sees.
struct Float32 {
  using Stored = float;
  using Value = float;
  static PODSIM_INLINE float Load(float stored) { return stored; }
  static PODSIM_INLINE float Store(float value) { return value; }
};
struct Int32 {  // unsigned, so that overflow wraps
  using Stored = std::uint32_t;
  using Value = std::uint32_t;
  static PODSIM_INLINE Value Load(Stored stored) { return stored; }
  static PODSIM_INLINE Stored Store(Value value) { return value; }
};
struct Bfloat16 {
  using Stored = std::uint16_t;
  using Value = float;
  static PODSIM_INLINE float Load(Stored stored) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(stored) << 16);
  }
  static PODSIM_INLINE Stored Store(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t even = bits + 0x7fff + ((bits >> 16) & 1);
    // Rounding must not carry a NaN's payload away. Chosen by masks: compilers
    // make three conversions to 16 bits of a conditional.
    const std::uint32_t nan = value != value ? ~std::uint32_t{0} : 0;
    const std::uint32_t quiet = bits | 0x400000;
    return static_cast<Stored>(((quiet & nan) | (even & ~nan)) >> 16);
  }
};

struct Sum {
  template <typename T>
  static PODSIM_INLINE T Of(T a, T b) {
    return a + b;
  }
};
struct Prod {
  template <typename T>
  static PODSIM_INLINE T Of(T a, T b) {
    return a * b;
  }
};
struct Min {
  static PODSIM_INLINE float Of(float a, float b) { return b < a ? b : a; }
  static PODSIM_INLINE std::uint32_t Of(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(b) < static_cast<std::int32_t>(a) ? b : a;
  }
};
struct Max {
  static PODSIM_INLINE float Of(float a, float b) { return a < b ? b : a; }
  static PODSIM_INLINE std::uint32_t Of(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? b : a;
  }
};
struct Replace {};  // of a copy: nothing is computed

}  // namespace podsim::arithmetic

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_ELEMENT_ARITHMETIC_H_
