// Element-wise functions that are no arithmetic, a row each (element_row.h).
// Names and meaning are StableHLO's, gradients JAX's (jax/_src/lax/lax.py).
//
// NaN, infinities and zeros are as IEEE 754 recommends for these functions: the
// limits where there are any, else NaN; zeros keep their sign where the
// function is odd there. Subnormals are kept, of results too. Error bounds are
// derived where the kernels stand (models/kernels/).
#include <cmath>
#include <cstdint>
#include <numbers>

#include "models/ops/element_row.h"
#include "models/ops/families.h"
#include "models/ops/whole_numbers.h"

namespace podsim {
namespace {

// Stands for infinity where that makes NaN; bfloat16 has it, too.
constexpr float kFar = 0x1p127F;

Term Within(float low, const Term& x, float high) {
  return x.Splat(low).Apply("clamp", {x, x.Splat(high)});
}

Terms ExponentialGradient(const Point& at) { return {at.dy * at.y}; }
Terms ExponentialMinusOneGradient(const Point& at) {
  return {at.dy * (at.y + 1)};
}
Terms LogGradient(const Point& at) { return {at.dy / at.x[0]}; }
Terms LogPlusOneGradient(const Point& at) { return {at.dy / (at.x[0] + 1)}; }
Terms LogisticGradient(const Point& at) { return {at.dy * at.y * (1 - at.y)}; }
Terms TanhGradient(const Point& at) { return {at.dy * (1 - at.y * at.y)}; }
Terms SqrtGradient(const Point& at) { return {at.dy * (0.5F / at.y)}; }
Terms RsqrtGradient(const Point& at) {
  return {at.dy * ((-0.5F * at.y) / at.x[0])};
}
Terms CbrtGradient(const Point& at) {
  return {at.dy * ((1.0F / 3) / (at.y * at.y))};
}
Terms SineGradient(const Point& at) {
  return {at.dy * at.x[0].Apply("cosine")};
}
Terms CosineGradient(const Point& at) {
  return {-(at.dy * at.x[0].Apply("sine"))};
}

Terms TanGradient(const Point& at) { return {at.dy * (at.y * at.y + 1)}; }
// x dy / (x^2 + y^2), -y dy / (x^2 + y^2). Both are divided by the larger one
// first, as squares of numbers beyond 2^64 or below 2^-63 leave float32. That
// one is bounded, so that only what JAX divides is 0 / 0 or infinite by
// infinite.
Terms Atan2Gradient(const Point& at) {
  const Term& y = at.x[0];
  const Term& x = at.x[1];
  const Term larger = x.Apply("abs").Apply("maximum", {y.Apply("abs")});
  const Term size = Within(0x1p-126F, larger, kFar);
  const Term u = x / size;
  const Term v = y / size;
  const Term squares = u * u + v * v;
  return {at.dy * ((u / squares) / size), -(at.dy * ((v / squares) / size))};
}
Terms ErfGradient(const Point& at) {
  constexpr auto kSlope = static_cast<float>(2 * std::numbers::inv_sqrtpi);
  return {kSlope * at.dy * (-(at.x[0] * at.x[0])).Apply("exponential")};
}

Term IsNonzero(const Term& x) { return x.Apply("sign").Apply("abs"); }

// What rounding loses of y - 1 (Knuth 4.2.2, theorem B): up to 2^-24 of it.
// Without the rest x^(y - 1) is off by that times its logarithm: up to 104
// units of 2^-24.
Term RestOfLess(const Term& exponent, const Term& less) {
  const Term one = less - exponent;
  return (exponent - (less - one)) + (-1.0F - one);
}

// y x^(y - 1) and x^y log(x), with log(1) where x is 0. x^(y - 1) is x^less
// x^rest; the latter is two factors, as it may leave float32 itself. Large
// numbers stand for infinite x and y, whose rest would be NaN.
Terms PowerGradient(const Point& at) {
  const Term& x = at.x[0];
  const Term& exponent = at.x[1];
  const Term positive = x + (1 - IsNonzero(x));
  const Term far = Within(-kFar, exponent, kFar);
  const Term less = far - 1.0F;
  const Term half = Within(-kFar, positive.Apply("abs"), kFar)
                        .Apply("power", {0.5F * RestOfLess(far, less)});
  return {at.dy * (exponent * (x.Apply("power", {less}) * half * half)),
          at.dy * (positive.Apply("log") * at.y)};
}

double Logistic(double x) { return 1 / (1 + std::exp(-x)); }

constexpr OpEntry kFunctionOps[] = {
    Row("exponential", 1,
        {.value = [](const double* x) { return std::exp(x[0]); },
         .vector_flops = 0,
         .transcendentals = 1,
         .error_units = 2,
         .low = -8,
         .high = 4},
        By<ExponentialGradient>),
    Row("exponential_minus_one", 1,
        {.value = [](const double* x) { return std::expm1(x[0]); },
         .vector_flops = 0,
         .transcendentals = 1,
         .error_units = 4,
         .low = -8,
         .high = 4},
        By<ExponentialMinusOneGradient>),
    // -infinity of 0, NaN below
    Row("log", 1,
        {.value = [](const double* x) { return std::log(x[0]); },
         .vector_flops = 0,
         .transcendentals = 1,
         .error_units = 3,
         .low = 0.25,
         .high = 8},
        By<LogGradient>),
    // -infinity of -1, NaN below
    Row("log_plus_one", 1,
        {.value = [](const double* x) { return std::log1p(x[0]); },
         .vector_flops = 0,
         .transcendentals = 1,
         .error_units = 4,
         .low = -0.75,
         .high = 7},
        By<LogPlusOneGradient>),
    // 1 / (1 + e^-x)
    Row("logistic", 1,
        {.value = [](const double* x) { return Logistic(x[0]); },
         .vector_flops = 0,
         .transcendentals = 1,
         .error_units = 4.1,
         .low = -12,
         .high = 12},
        By<LogisticGradient>),
    Row("tanh", 1,
        {.value = [](const double* x) { return std::tanh(x[0]); },
         .vector_flops = 0,
         .transcendentals = 1,
         .error_units = 10,
         .low = -12,
         .high = 12},
        By<TanhGradient>),

    // NaN below 0, but -0 of -0
    Row("sqrt", 1,
        {.value = [](const double* x) { return std::sqrt(x[0]); },
         .vector_flops = 0,
         .transcendentals = 1,
         .error_units = 1,
         .low = 0.25,
         .high = 8},
        By<SqrtGradient>),
    // Infinity of 0, with its sign; NaN below
    Row("rsqrt", 1,
        {.value = [](const double* x) { return 1 / std::sqrt(x[0]); },
         .vector_flops = 0,
         .transcendentals = 1,
         .error_units = 2.01,
         .low = 0.25,
         .high = 8},
        By<RsqrtGradient>),
    Row("cbrt", 1,
        {.value = [](const double* x) { return std::cbrt(x[0]); },
         .vector_flops = 0,
         .transcendentals = 1,
         .error_units = 1.01,
         .low = 0.25,
         .high = 8},
        By<CbrtGradient>),
    // x, y -> x^y: of negative x NaN unless y is an integer; 1 where y is 0 or
    // x is 1, even of NaN.
    Row("power", 2,
        {.value = [](const double* x) { return std::pow(x[0], x[1]); },
         .vector_flops = 0,
         .transcendentals = 1,
         .error_units = 1.01,
         .low = 0.25,
         .high = 3,
         .whole = [](const std::int64_t* x) { return WholePower(x[0], x[1]); }},
        By<PowerGradient>),

    // NaN of infinities
    Row("sine", 1,
        {.value = [](const double* x) { return std::sin(x[0]); },
         .vector_flops = 0,
         .transcendentals = 1,
         .error_units = 1.01,
         .low = -8,
         .high = 8},
        By<SineGradient>),
    Row("cosine", 1,
        {.value = [](const double* x) { return std::cos(x[0]); },
         .vector_flops = 0,
         .transcendentals = 1,
         .error_units = 1.01,
         .low = -8,
         .high = 8},
        By<CosineGradient>),
    Row("tan", 1,
        {.value = [](const double* x) { return std::tan(x[0]); },
         .vector_flops = 0,
         .transcendentals = 1,
         .error_units = 1.01,
         .low = -1.2,
         .high = 1.2},
        By<TanGradient>),
    // y, x -> the angle of the point (x, y)
    Row("atan2", 2,
        {.value = [](const double* x) { return std::atan2(x[0], x[1]); },
         .vector_flops = 0,
         .transcendentals = 1,
         .error_units = 1.01,
         .low = 0.25,
         .high = 3},
        By<Atan2Gradient>),
    Row("erf", 1,
        {.value = [](const double* x) { return std::erf(x[0]); },
         .vector_flops = 0,
         .transcendentals = 1,
         .error_units = 1.01,
         .low = -3,
         .high = 3},
        By<ErfGradient>),

};

}  // namespace

OpFamily FunctionOps() { return kFunctionOps; }

}  // namespace podsim
