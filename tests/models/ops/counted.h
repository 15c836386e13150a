// Numbers that count what is done with them.
//
//   Tally tally;
//   const Counted x(3, &tally);
//   const Counted y = Select(x > 0, x * x, 0);  // three operations
#ifndef PODSIM_TESTS_MODELS_OPS_COUNTED_H_
#define PODSIM_TESTS_MODELS_OPS_COUNTED_H_

#include <cmath>

namespace podsim::testing {

struct Tally {
  double flops = 0;
  double transcendentals = 0;
  double multiply_adds = 0;  // of products, none of them in `flops`
};

// Of numbers that are written down, `tally` is null: what they meet counts.
struct Counted {
  double value = 0;
  Tally* tally = nullptr;

  Counted() = default;
  // A plain number in a reference's loop is one that is written down.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Counted(double of, Tally* by = nullptr) : value(of), tally(by) {}
};

// `value`, made of `x` in one operation.
inline Counted Once(const Counted& x, double value) {
  ++x.tally->flops;
  return {value, x.tally};
}
inline Counted Once(const Counted& a, const Counted& b, double value) {
  return Once(a.tally != nullptr ? a : b, value);
}
// The same by a function that is no arithmetic.
inline Counted Function(const Counted& x, double value) {
  ++x.tally->transcendentals;
  return {value, x.tally};
}

inline Counted operator+(const Counted& a, const Counted& b) {
  return Once(a, b, a.value + b.value);
}
inline Counted operator-(const Counted& a, const Counted& b) {
  return Once(a, b, a.value - b.value);
}
inline Counted operator*(const Counted& a, const Counted& b) {
  return Once(a, b, a.value * b.value);
}
inline Counted operator/(const Counted& a, const Counted& b) {
  return Once(a, b, a.value / b.value);
}

// Comparisons are 1 or 0.
inline Counted operator>(const Counted& a, const Counted& b) {
  return Once(a, b, a.value > b.value ? 1 : 0);
}
inline Counted operator>=(const Counted& a, const Counted& b) {
  return Once(a, b, a.value >= b.value ? 1 : 0);
}
inline Counted operator<(const Counted& a, const Counted& b) { return b > a; }
inline Counted operator<=(const Counted& a, const Counted& b) { return b >= a; }
inline Counted operator==(const Counted& a, const Counted& b) {
  return Once(a, b, a.value == b.value ? 1 : 0);
}

// a where `chosen` is not 0, else b.
inline Counted Select(const Counted& chosen, const Counted& a,
                      const Counted& b) {
  return Once(chosen, chosen.value != 0 ? a.value : b.value);
}
inline Counted Maximum(const Counted& a, const Counted& b) {
  return Once(a, b, std::fmax(a.value, b.value));
}
inline Counted Minimum(const Counted& a, const Counted& b) {
  return Once(a, b, std::fmin(a.value, b.value));
}

inline Counted SquareRoot(const Counted& x) {
  return Function(x, std::sqrt(x.value));
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_MODELS_OPS_COUNTED_H_
