// The element-wise ops of models/kernels for whole numbers, which wrap around:
// plain loops, for counters and indices.
#include "host/core/whole_kernels.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace podsim {
namespace {

// Sums and products of 32 bits without a sign wrap around in any type.
std::uint32_t Bits(std::uint32_t x) { return x; }

template <typename T>
T Quotient(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return static_cast<T>(0U - Bits(a));
  return static_cast<T>(a / b);
}

template <typename T>
T Remainder(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}

template <typename T>
T Power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>)
    if (exponent < 0)
      return base == 1 ? 1 : base != -1 ? 0 : exponent % 2 != 0 ? -1 : 1;
  std::uint32_t power = 1;
  std::uint32_t square = Bits(base);
  for (; exponent > 0; exponent /= 2, square *= square)
    if (exponent % 2 != 0) power *= square;
  return static_cast<T>(power);
}

struct Negate {
  template <typename T>
  static T Of(const T* x) {
    return static_cast<T>(0U - Bits(x[0]));
  }
};
struct Abs {
  template <typename T>
  static T Of(const T* x) {
    return x[0] < 0 ? Negate::Of(x) : x[0];
  }
};
struct Sign {
  template <typename T>
  static T Of(const T* x) {
    return static_cast<T>((x[0] > 0 ? 1 : 0) - (x[0] < 0 ? 1 : 0));
  }
};
struct Add {
  template <typename T>
  static T Of(const T* x) {
    return static_cast<T>(Bits(x[0]) + Bits(x[1]));
  }
};
struct Subtract {
  template <typename T>
  static T Of(const T* x) {
    return static_cast<T>(Bits(x[0]) - Bits(x[1]));
  }
};
struct Multiply {
  template <typename T>
  static T Of(const T* x) {
    return static_cast<T>(Bits(x[0]) * Bits(x[1]));
  }
};
struct Divide {
  template <typename T>
  static T Of(const T* x) {
    return Quotient(x[0], x[1]);
  }
};
struct Modulo {
  template <typename T>
  static T Of(const T* x) {
    return Remainder(x[0], x[1]);
  }
};
struct Maximum {
  template <typename T>
  static T Of(const T* x) {
    return std::max(x[0], x[1]);
  }
};
struct Minimum {
  template <typename T>
  static T Of(const T* x) {
    return std::min(x[0], x[1]);
  }
};
struct Clamp {
  template <typename T>
  static T Of(const T* x) {
    return std::min(std::max(x[1], x[0]), x[2]);
  }
};
struct Pow {
  template <typename T>
  static T Of(const T* x) {
    return Power(x[0], x[1]);
  }
};

template <typename T, typename F>
void Run(std::int64_t count, std::size_t operands, const std::byte* const* in,
         std::byte* out) {
  const T* from[kMostWholeOperands] = {};
  for (std::size_t i = 0; i < operands; ++i)
    from[i] = reinterpret_cast<const T*>(in[i]);
  T* to = reinterpret_cast<T*>(out);
  for (std::int64_t i = 0; i < count; ++i) {
    T x[kMostWholeOperands] = {};
    for (std::size_t operand = 0; operand < operands; ++operand)
      x[operand] = from[operand][i];
    to[i] = F::template Of<T>(x);
  }
}

template <typename F>
void RunWholeAs(DType dtype, std::int64_t count, std::size_t operands,
                const std::byte* const* in, std::byte* out) {
  if (dtype == DType::kInt32)
    Run<std::int32_t, F>(count, operands, in, out);
  else if (dtype == DType::kUint32)
    Run<std::uint32_t, F>(count, operands, in, out);
  else
    Run<std::uint8_t, F>(count, operands, in, out);
}

struct Listed {
  std::string_view op;
  WholeKernel run;
};

constexpr Listed kWholeKernels[] = {
    {"negate", RunWholeAs<Negate>},     {"abs", RunWholeAs<Abs>},
    {"sign", RunWholeAs<Sign>},         {"add", RunWholeAs<Add>},
    {"subtract", RunWholeAs<Subtract>}, {"multiply", RunWholeAs<Multiply>},
    {"divide", RunWholeAs<Divide>},     {"remainder", RunWholeAs<Modulo>},
    {"maximum", RunWholeAs<Maximum>},   {"minimum", RunWholeAs<Minimum>},
    {"clamp", RunWholeAs<Clamp>},       {"power", RunWholeAs<Pow>},
};

}  // namespace

WholeKernel FindWholeKernel(std::string_view op) {
  for (const Listed& each : kWholeKernels)
    if (each.op == op) return each.run;
  return nullptr;
}

}  // namespace podsim
