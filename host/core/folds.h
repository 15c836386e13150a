// What reduce and reduce_window fold by, on numbers as they lie in memory:
// models/ops/fold.h says what each means.
#ifndef PODSIM_HOST_CORE_FOLDS_H_
#define PODSIM_HOST_CORE_FOLDS_H_

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "base/status.h"
#include "host/core/array.h"

namespace podsim {

// Of integers: unsigned ones, so that they wrap around.
struct AddFold {
  template <typename T>
  static constexpr T kNeutral = 0;
  template <typename T>
  static T Of(T a, T b) {
    return static_cast<T>(a + b);
  }
};

struct MultiplyFold {
  template <typename T>
  static constexpr T kNeutral = 1;
  template <typename T>
  static T Of(T a, T b) {
    return static_cast<T>(a * b);
  }
};

struct AndFold {
  template <typename T>
  static constexpr T kNeutral = static_cast<T>(~T{0});
  template <typename T>
  static T Of(T a, T b) {
    return static_cast<T>(a & b);
  }
};

struct OrFold {
  template <typename T>
  static constexpr T kNeutral = 0;
  template <typename T>
  static T Of(T a, T b) {
    return static_cast<T>(a | b);
  }
};

// The other one if `second`, `equal` if neither is more, NaN if one is.
// Comparisons that depend on no others make vectors.
template <typename T>
T Chosen(bool second, T a, T b, T equal) {
  const bool same = a == b;
  const bool is_nan = b != b;
  const T chosen = second ? b : a;
  const T known = is_nan ? b : chosen;
  return same ? equal : known;
}

// NaN of NaN; of two zeros the one whose sign says so, by their bits.
struct MaximumFold {
  template <typename T>
  static constexpr T kNeutral = std::is_floating_point_v<T>
                                    ? -std::numeric_limits<T>::infinity()
                                    : std::numeric_limits<T>::lowest();
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      const T equal = std::bit_cast<T>(std::bit_cast<std::uint32_t>(a) &
                                       std::bit_cast<std::uint32_t>(b));
      return Chosen(a <= b, a, b, equal);
    } else {
      return a > b ? a : b;
    }
  }
};

struct MinimumFold {
  template <typename T>
  static constexpr T kNeutral = std::is_floating_point_v<T>
                                    ? std::numeric_limits<T>::infinity()
                                    : std::numeric_limits<T>::max();
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      const T equal = std::bit_cast<T>(std::bit_cast<std::uint32_t>(a) |
                                       std::bit_cast<std::uint32_t>(b));
      return Chosen(a >= b, a, b, equal);
    } else {
      return a < b ? a : b;
    }
  }
};

// fn.template operator()<T, Fold>(). `Bits`: T as an unsigned integer.
template <typename T, typename Bits, typename Fn>
void WithFoldOf(const std::string& word, const Fn& fn) {
  if (word == "add") return fn.template operator()<Bits, AddFold>();
  if (word == "multiply") return fn.template operator()<Bits, MultiplyFold>();
  if (word == "maximum") return fn.template operator()<T, MaximumFold>();
  if (word == "minimum") return fn.template operator()<T, MinimumFold>();
  if constexpr (std::is_integral_v<T>) {
    if (word == "and") return fn.template operator()<Bits, AndFold>();
    if (word == "or") return fn.template operator()<Bits, OrFold>();
  }
  PODSIM_CHECK(!"a fold that CheckFold accepts");
}

template <typename Fn>
void WithFold(const std::string& word, DType dtype, const Fn& fn) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kBFloat16:
      return WithFoldOf<float, float>(word, fn);
    case DType::kInt32:
      return WithFoldOf<std::int32_t, std::uint32_t>(word, fn);
    case DType::kUint32:
      return WithFoldOf<std::uint32_t, std::uint32_t>(word, fn);
    case DType::kUint8:
      return WithFoldOf<std::uint8_t, std::uint8_t>(word, fn);
    case DType::kBool:  // of no elements "and" and "minimum" are 1, not 255
      if (word == "and" || word == "minimum")
        return fn.template operator()<bool, MinimumFold>();
      return fn.template operator()<bool, MaximumFold>();
  }
}

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_FOLDS_H_
