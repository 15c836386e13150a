// Element-wise ops whose operands and results differ in type
// (models/ops/typed_elementwise.cc), and constants, on arrays.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/status.h"
#include "host/core/array_kernels.h"
#include "host/core/boxes.h"
#include "host/core/typed_loops.h"
#include "models/ops/constant_value.h"

namespace podsim {
namespace {

// fn(compare) with the function object of a word.
template <typename Fn>
void WithComparison(const std::string& word, const Fn& fn) {
  if (word == "EQ") return fn([](auto a, auto b) { return a == b; });
  if (word == "NE") return fn([](auto a, auto b) { return a != b; });
  if (word == "GE") return fn([](auto a, auto b) { return a >= b; });
  if (word == "GT") return fn([](auto a, auto b) { return a > b; });
  if (word == "LE") return fn([](auto a, auto b) { return a <= b; });
  PODSIM_CHECK(word == "LT");
  return fn([](auto a, auto b) { return a < b; });
}

// Cut towards 0, held at the ends; NaN is 0.
template <typename To>
To CutFloat(float x) {
  constexpr auto kLeast = static_cast<float>(std::numeric_limits<To>::min());
  constexpr auto kMost = static_cast<float>(std::numeric_limits<To>::max());
  if (!(x > kLeast)) return std::isnan(x) ? 0 : std::numeric_limits<To>::min();
  return x >= kMost ? std::numeric_limits<To>::max() : static_cast<To>(x);
}

template <typename To, typename From>
To ConvertedTo(From x) {
  if constexpr (std::is_same_v<From, float> && !std::is_same_v<To, float>)
    return CutFloat<To>(x);
  else
    return static_cast<To>(x);
}

template <typename From>
void ConvertFrom(const ArrayCall& call, const Array& in) {
  const Array& out = call.out[0];
  const std::int64_t count = out.elements();
  const From* from = in.as<const From>();
  if (out.dtype == DType::kBool) {
    MapArrays(
        call, count, out.as<std::uint8_t>(),
        [](From x) { return static_cast<std::uint8_t>(x != 0 ? 1 : 0); }, from);
    return;
  }
  WithType(out.dtype, [&](auto to) {
    using To = decltype(to);
    MapArrays(
        call, count, out.as<To>(), [](From x) { return ConvertedTo<To>(x); },
        from);
  });
  if (out.dtype == DType::kBFloat16) RoundInPlace(call, out.as<float>(), count);
}

// A bool stays one.
template <typename Fn>
void MapWholes(const ArrayCall& call, const Fn& fn) {
  const Array& out = call.out[0];
  const bool is_bool = out.dtype == DType::kBool;
  WithWholeType(out.dtype, [&](auto type) {
    using T = decltype(type);
    const T kept = is_bool ? T{1} : static_cast<T>(~T{0});
    const T* a = call.in[0].as<const T>();
    const T* b = call.in.size() > 1 ? call.in[1].as<const T>() : a;
    MapArrays(
        call, out.elements(), out.as<T>(),
        [kept, fn](T x, T y) { return static_cast<T>(fn(x, y) & kept); }, a, b);
  });
}

template <typename T>
constexpr int kBits = 8 * sizeof(T);

// Whether fewer bits are asked for than there are.
template <typename T>
bool ShiftsSome(T by) {
  return static_cast<std::make_unsigned_t<T>>(by) < kBits<T>;
}

template <typename T>
void Widen(const std::string& data, float* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    T element = {};
    std::memcpy(&element, data.data() + i * sizeof(T), sizeof(T));
    to[i] = std::bit_cast<float>(std::uint32_t{element} << 16);
  }
}

}  // namespace

void Compare(const ArrayCall& call) {
  const WideOperand a(call.in[0]);
  const WideOperand b(call.in[1]);
  WithType(a->dtype, [&](auto type) {
    using T = decltype(type);
    WithComparison(call.attributes.word, [&](auto compare) {
      MapArrays(
          call, call.out[0].elements(), call.out[0].as<std::uint8_t>(),
          [compare](T x, T y) {
            return static_cast<std::uint8_t>(compare(x, y) ? 1 : 0);
          },
          a->as<const T>(), b->as<const T>());
    });
  });
}

void Select(const ArrayCall& call) {
  const auto* pred = call.in[0].as<const std::uint8_t>();
  const bool one = call.in[0].dims.empty();
  const WideOperand a(call.in[1]);
  const WideOperand b(call.in[2]);
  WithType(a->dtype, [&](auto type) {
    using T = decltype(type);
    T* out = call.out[0].as<T>();
    const std::int64_t count = call.out[0].elements();
    if (one) {
      MapArrays(
          call, count, out, [](T x) { return x; },
          (pred[0] != 0 ? a : b)->template as<const T>());
      return;
    }
    MapArrays(
        call, count, out,
        [](std::uint8_t p, T x, T y) { return p != 0 ? x : y; }, pred,
        a->as<const T>(), b->as<const T>());
  });
}

void Convert(const ArrayCall& call) {
  const WideOperand in(call.in[0]);
  WithType(in->dtype,
           [&](auto type) { ConvertFrom<decltype(type)>(call, *in); });
}

void BitcastConvert(const ArrayCall& call) {
  const WideOperand in(call.in[0]);
  std::memcpy(
      call.out[0].data, in->data,
      static_cast<std::size_t>(in->elements() * call.out[0].element_bytes));
}

void IsFinite(const ArrayCall& call) {
  const WideOperand in(call.in[0]);
  MapArrays(
      call, in->elements(), call.out[0].as<std::uint8_t>(),
      [](float x) {
        const auto bits = std::bit_cast<std::uint32_t>(x);
        const bool finite = (bits & 0x7f800000) != 0x7f800000;
        return static_cast<std::uint8_t>(finite ? 1 : 0);
      },
      in->as<const float>());
}

void And(const ArrayCall& call) {
  MapWholes(call, [](auto x, auto y) { return x & y; });
}
void Or(const ArrayCall& call) {
  MapWholes(call, [](auto x, auto y) { return x | y; });
}
void Xor(const ArrayCall& call) {
  MapWholes(call, [](auto x, auto y) { return x ^ y; });
}
void Not(const ArrayCall& call) {
  MapWholes(call, [](auto x, auto /*same*/) { return ~x; });
}

void ShiftLeft(const ArrayCall& call) {
  MapWholes(call, [](auto x, auto by) {
    using T = decltype(x);
    using U = std::make_unsigned_t<T>;
    if (!ShiftsSome(by)) return T{0};
    return static_cast<T>(std::uint32_t{static_cast<U>(x)} << by);
  });
}
void ShiftRightLogical(const ArrayCall& call) {
  MapWholes(call, [](auto x, auto by) {
    using T = decltype(x);
    using U = std::make_unsigned_t<T>;
    if (!ShiftsSome(by)) return T{0};
    return static_cast<T>(static_cast<U>(x) >> by);
  });
}
void ShiftRightArithmetic(const ArrayCall& call) {
  MapWholes(call, [](auto x, auto by) {
    using T = decltype(x);
    using S = std::make_signed_t<T>;
    const int bits = ShiftsSome(by) ? static_cast<int>(by) : kBits<T> - 1;
    return static_cast<T>(static_cast<S>(x) >> bits);
  });
}
void PopCount(const ArrayCall& call) {
  MapWholes(call, [](auto x, auto /*same*/) {
    using T = decltype(x);
    return static_cast<T>(
        std::popcount(static_cast<std::make_unsigned_t<T>>(x)));
  });
}
void CountLeadingZeros(const ArrayCall& call) {
  MapWholes(call, [](auto x, auto /*same*/) {
    using T = decltype(x);
    return static_cast<T>(
        std::countl_zero(static_cast<std::make_unsigned_t<T>>(x)));
  });
}

void Scale(const ArrayCall& call) {
  const float by = *call.in[1].as<float>();
  MapArrays(
      call, call.out[0].elements(), call.out[0].as<float>(),
      [by](float x) { return x * by; }, call.in[0].as<float>());
}

void Constant(const ArrayCall& call) {
  const Array& out = call.out[0];
  const std::int64_t count = out.elements();
  if (call.attributes.data != nullptr) {
    const std::string& data = *call.attributes.data;
    if (out.dtype == DType::kBFloat16)
      return Widen<std::uint16_t>(data, out.as<float>(), count);
    std::memcpy(out.data, data.data(), data.size());
    return;
  }
  WithType(out.dtype, [&](auto type) {
    using T = decltype(type);
    const auto value = static_cast<T>(ConstantFor(call.attributes, out.dims));
    MapArrays(call, count, out.as<T>(), [value]() { return value; });
  });
  if (out.dtype == DType::kBFloat16) RoundInPlace(call, out.as<float>(), count);
}

}  // namespace podsim
