// Element-wise arithmetic, choices and rounding, a row each (element_row.h).
// Names and meaning are StableHLO's, gradients JAX's (jax/_src/lax/lax.py);
// what is named in capitals is our own.
//
// NaN, infinities and zeros are as IEEE 754 has them, which StableHLO refers
// to: NaN goes through everything but where a row says otherwise; subnormals
// are kept.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "models/ops/element_row.h"
#include "models/ops/families.h"
#include "models/ops/whole_numbers.h"

namespace podsim {
namespace {

// A step, which is flat wherever it has a gradient.
Terms Flat(const Point& at) { return Terms(at.x.size()); }

Terms ReluGradient(const Point& at) {
  return {at.dy.Apply("ReluGrad", {at.y})};
}
Terms NegateGradient(const Point& at) { return {-at.dy}; }
// Of 0 that of positive numbers, of NaN that of negative ones.
Terms AbsGradient(const Point& at) {
  const Term& x = at.x[0];
  return {x.Compare("GE", x.Splat(0)).Apply("select", {at.dy, -at.dy})};
}
Terms AddGradient(const Point& at) { return {at.dy, at.dy}; }
Terms SubtractGradient(const Point& at) { return {at.dy, -at.dy}; }
Terms MultiplyGradient(const Point& at) {
  return {at.dy * at.x[1], at.dy * at.x[0]};
}

// -dy a / b^2, by the quotient that there is, where b^2 might overflow.
Terms DivideGradient(const Point& at) {
  const Term quotient = at.dy / at.x[1];
  return {quotient, -(quotient * at.y)};
}

// a - b trunc(a / b). The quotient may be rounded up to a whole number, so the
// remainder's share of b is subtracted from it first. That share is NaN of an
// infinite a and of b = 0, where the quotient is infinite and stays so.
Terms RemainderGradient(const Point& at) {
  const Term quotient = at.x[0] / at.x[1];
  const Term share = at.y / at.x[1];
  const Term known = Where(share.Splat(2), share.Apply("abs"), share);
  return {at.dy, -(at.dy * (quotient - known).Apply("round_nearest_even"))};
}

// Half to each side where both are equal.
Terms MaximumGradient(const Point& at) {
  return {at.dy.Apply("MaximumGrad", {at.x[0], at.x[1]}),
          at.dy.Apply("MaximumGrad", {at.x[1], at.x[0]})};
}
Terms MinimumGradient(const Point& at) {
  return {at.dy.Apply("MaximumGrad", {at.x[1], at.x[0]}),
          at.dy.Apply("MaximumGrad", {at.x[0], at.x[1]})};
}

// To x strictly between the bounds, to a bound where x is strictly beyond. JAX
// takes low <= high for granted; as it stands here high, which wins, has the
// gradient where the two are crossed as well.
Terms ClampGradient(const Point& at) {
  const Term& low = at.x[0];
  const Term& x = at.x[1];
  const Term& high = at.x[2];
  const Term beyond = Where(x, high, at.dy);
  return {Where(low, x, Where(high, low, at.dy)),
          Where(x, low, Where(high, x, at.dy)),
          beyond + Where(low, high, at.dy - beyond)};
}

double Maximum(double a, double b) {
  return a > b ? a : b > a ? b : a == b ? (std::signbit(a) ? b : a) : a + b;
}
double Minimum(double a, double b) {
  return a < b ? a : b < a ? b : a == b ? (std::signbit(a) ? a : b) : a + b;
}

constexpr OpEntry kElementwiseOps[] = {
    // x -> y = max(x, 0); -0 becomes 0
    Row("Relu", 1, {[](const double* x) { return x[0] <= 0 ? 0 : x[0]; }},
        By<ReluGradient>),
    // dy, y -> dx = y > 0 ? dy : 0; of NaN 0. A comparison, a choice.
    Row("ReluGrad", 2,
        {.value = [](const double* x) { return x[1] > 0 ? x[0] : 0; },
         .vector_flops = 2}),
    // dy, a, b -> dy times 1 where a > b, half where they are equal, else 0.
    // Two
    // comparisons, two choices, a product.
    Row("MaximumGrad", 3,
        {.value =
             [](const double* x) {
               return x[0] * (x[1] > x[2] ? 1 : x[1] == x[2] ? 0.5 : 0);
             },
         .vector_flops = 5}),

    // The sign bit of NaN and zeros too.
    Row("negate", 1,
        {.value = [](const double* x) { return -x[0]; },
         .whole = [](const std::int64_t* x) { return -x[0]; }},
        By<NegateGradient>),
    Row("abs", 1,
        {.value = [](const double* x) { return std::fabs(x[0]); },
         .whole =
             [](const std::int64_t* x) { return x[0] < 0 ? -x[0] : x[0]; }},
        By<AbsGradient>),
    // -1, 1, or x itself where it is a zero or NaN
    Row("sign", 1,
        {.value =
             [](const double* x) {
               return x[0] > 0 ? 1 : x[0] < 0 ? -1 : x[0];
             },
         .whole = [](const std::int64_t* x) -> std::int64_t {
           return (x[0] > 0 ? 1 : 0) - (x[0] < 0 ? 1 : 0);
         }},
        By<Flat>),

    Row("add", 2,
        {.value = [](const double* x) { return x[0] + x[1]; },
         .error_units = 1,
         .whole = [](const std::int64_t* x) { return x[0] + x[1]; }},
        By<AddGradient>),
    Row("subtract", 2,
        {.value = [](const double* x) { return x[0] - x[1]; },
         .error_units = 1,
         .whole = [](const std::int64_t* x) { return x[0] - x[1]; }},
        By<SubtractGradient>),
    Row("multiply", 2,
        {.value = [](const double* x) { return x[0] * x[1]; },
         .error_units = 1,
         .whole = [](const std::int64_t* x) { return x[0] * x[1]; }},
        By<MultiplyGradient>),
    Row("divide", 2,
        {.value = [](const double* x) { return x[0] / x[1]; },
         .error_units = 1,
         .low = 0.5,
         .high = 2,
         .whole =
             [](const std::int64_t* x) { return WholeQuotient(x[0], x[1]); }},
        By<DivideGradient>),
    // What division leaves, with the sign of the dividend: exact. NaN of an
    // infinite dividend and of a divisor 0; a where b is infinite.
    Row("remainder", 2,
        {.value = [](const double* x) { return std::fmod(x[0], x[1]); },
         .low = 0.5,
         .high = 4,
         .whole =
             [](const std::int64_t* x) { return WholeRemainder(x[0], x[1]); }},
        By<RemainderGradient>),

    // NaN of NaN, and -0 is less than 0: IEEE 754-2019's maximum and minimum.
    Row("maximum", 2,
        {.value = [](const double* x) { return Maximum(x[0], x[1]); },
         .whole = [](const std::int64_t* x) { return std::max(x[0], x[1]); }},
        By<MaximumGradient>),
    Row("minimum", 2,
        {.value = [](const double* x) { return Minimum(x[0], x[1]); },
         .whole = [](const std::int64_t* x) { return std::min(x[0], x[1]); }},
        By<MinimumGradient>),
    // low, x, high -> minimum(maximum(x, low), high)
    Row("clamp", 3,
        {.value =
             [](const double* x) { return Minimum(Maximum(x[1], x[0]), x[2]); },
         .whole =
             [](const std::int64_t* x) {
               return std::min(std::max(x[1], x[0]), x[2]);
             }},
        By<ClampGradient>),

    // To integers: exact, of the operand's sign where they are 0.
    Row("floor", 1,
        {.value = [](const double* x) { return std::floor(x[0]); },
         .low = -4,
         .high = 4},
        By<Flat>),
    Row("ceil", 1,
        {.value = [](const double* x) { return std::ceil(x[0]); },
         .low = -4,
         .high = 4},
        By<Flat>),
    Row("round_nearest_even", 1,
        {.value = [](const double* x) { return std::nearbyint(x[0]); },
         .low = -4,
         .high = 4},
        By<Flat>),
    // Ties away from zero.
    Row("round_nearest_afz", 1,
        {.value = [](const double* x) { return std::round(x[0]); },
         .low = -4,
         .high = 4},
        By<Flat>),
};

}  // namespace

OpFamily ElementwiseOps() { return kElementwiseOps; }

}  // namespace podsim
