// A number and how far a float32 machine may be from it, with the arithmetic
// that an update rule's element functions are made of. Each operation carries
// the bounds of its operands and adds one rounding, u = 2^-24 of its result.
#ifndef PODSIM_TESTS_MODELS_RULES_BOUNDED_H_
#define PODSIM_TESTS_MODELS_RULES_BOUNDED_H_

#include <algorithm>
#include <cmath>
#include <limits>

namespace podsim::testing {

struct Bounded {
  double value = 0;
  double bound = 0;
};

inline constexpr double kUnit = 0x1p-24;
// Absolute slack for what underflows in float32.
inline constexpr double kTiny = 0x1p-120;

inline double Size(const Bounded& x) { return std::fabs(x.value) + x.bound; }

// Rounded once more.
inline Bounded Rounded(const Bounded& x) {
  return {x.value, x.bound + kUnit * Size(x) + kTiny};
}

inline Bounded operator+(const Bounded& a, const Bounded& b) {
  const double bound = a.bound + b.bound;
  const double value = a.value + b.value;
  return {value, bound + kUnit * (std::fabs(value) + bound)};
}

inline Bounded operator-(const Bounded& a, const Bounded& b) {
  return a + Bounded{-b.value, b.bound};
}

inline Bounded operator*(const Bounded& a, const Bounded& b) {
  return Rounded({a.value * b.value, std::fabs(a.value) * b.bound +
                                         std::fabs(b.value) * a.bound +
                                         a.bound * b.bound});
}

// |a/b - a'/b'| <= (|a| eb + |b| ea) / (|b| (|b| - eb)) for |b - b'| <= eb.
inline Bounded operator/(const Bounded& a, const Bounded& b) {
  const double size = std::fabs(b.value);
  const double bound = size > b.bound
                           ? (std::fabs(a.value) * b.bound + size * a.bound) /
                                 (size * (size - b.bound))
                           : std::numeric_limits<double>::infinity();
  return Rounded({a.value / b.value, bound});
}

// The root grows fastest at the lower end.
inline Bounded SquareRoot(const Bounded& x) {
  const double root = std::sqrt(x.value);
  return Rounded({root, root - std::sqrt(std::max(0.0, x.value - x.bound))});
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_MODELS_RULES_BOUNDED_H_
