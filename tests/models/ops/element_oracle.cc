// Element-wise ops: what is done to an element, said once more in counted
// numbers. An op of StableHLO is one operation or one function, as XLA's cost
// analysis has it.
#include <cmath>
#include <vector>

#include "models/ops/whole_numbers.h"
#include "tests/models/ops/cost_oracle.h"

namespace podsim::testing {
namespace {

// Of float elements. Whole numbers take as many operations, but wrap around;
// their results are not looked at.
template <Counted (*kFunction)(const Counted* x)>
void ByElement(CountedUse& use) {
  std::vector<Counted> x(use.operand_count());
  const Tensor& y = use.result();
  for (std::int64_t i = 0; i < std::ssize(y.values); ++i) {
    for (std::size_t operand = 0; operand < x.size(); ++operand)
      x[operand] = use.Read(operand, i);
    const Counted value = kFunction(x.data());
    if (!IsWhole(y.type.dtype)) use.Write(i, value);
  }
}

template <double (*kFunction)(double)>
Counted ByOnce(const Counted* x) {
  return Once(x[0], kFunction(x[0].value));
}
template <double (*kFunction)(double)>
Counted ByFunction(const Counted* x) {
  return Function(x[0], kFunction(x[0].value));
}

double Negative(double x) { return -x; }
double Sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
double Clamped(double low, double x, double high) {
  return std::fmin(std::fmax(x, low), high);
}
double Logistic(double x) { return 1 / (1 + std::exp(-x)); }
double InverseRoot(double x) { return 1 / std::sqrt(x); }

Counted Relu(const Counted* x) { return Maximum(x[0], 0); }
Counted ReluGrad(const Counted* x) { return Select(x[1] > 0, x[0], 0); }
Counted MaximumGrad(const Counted* x) {
  return x[0] * Select(x[1] > x[2], 1, Select(x[1] == x[2], 0.5, 0));
}
Counted Add(const Counted* x) { return x[0] + x[1]; }
Counted Subtract(const Counted* x) { return x[0] - x[1]; }
Counted Multiply(const Counted* x) { return x[0] * x[1]; }
Counted Divide(const Counted* x) { return x[0] / x[1]; }
Counted Remainder(const Counted* x) {
  return Once(x[0], std::fmod(x[0].value, x[1].value));
}
Counted Larger(const Counted* x) { return Maximum(x[0], x[1]); }
Counted Smaller(const Counted* x) { return Minimum(x[0], x[1]); }
Counted Clamp(const Counted* x) {
  return Once(x[0], Clamped(x[0].value, x[1].value, x[2].value));
}
Counted Power(const Counted* x) {
  return Function(x[0], std::pow(x[0].value, x[1].value));
}
Counted Atan2(const Counted* x) {
  return Function(x[0], std::atan2(x[0].value, x[1].value));
}

// One operation per element, on bits or between types; of these the count is
// all that is of interest.
void OnceEach(CountedUse& use) {
  for (std::size_t i = 0; i < use.result().values.size(); ++i) use.Count(1);
}
// Other bits or other types, but no operation.
void NoOperation(CountedUse& /*use*/) {}

// x and a vector, a number or a bias, for each row.
void AddBias(CountedUse& use) {
  const Tensor& x = use.operand(0);
  for (std::int64_t i = 0; i < x.rows * x.columns; ++i)
    use.Write(i, use.Read(0, i) + use.Read(1, i % x.columns));
}
void Scale(CountedUse& use) {
  for (std::int64_t i = 0; i < std::ssize(use.result().values); ++i)
    use.Write(i, use.Read(0, i) * use.Read(1, 0));
}

constexpr CostOracle kElementOracles[] = {
    {"Relu", ByElement<Relu>},
    {"ReluGrad", ByElement<ReluGrad>},
    {"MaximumGrad", ByElement<MaximumGrad>},
    {"negate", ByElement<ByOnce<Negative>>},
    {"abs", ByElement<ByOnce<std::fabs>>},
    {"sign", ByElement<ByOnce<Sign>>},
    {"add", ByElement<Add>},
    {"subtract", ByElement<Subtract>},
    {"multiply", ByElement<Multiply>},
    {"divide", ByElement<Divide>},
    {"remainder", ByElement<Remainder>},
    {"maximum", ByElement<Larger>},
    {"minimum", ByElement<Smaller>},
    {"clamp", ByElement<Clamp>},
    {"floor", ByElement<ByOnce<std::floor>>},
    {"ceil", ByElement<ByOnce<std::ceil>>},
    {"round_nearest_even", ByElement<ByOnce<std::nearbyint>>},
    {"round_nearest_afz", ByElement<ByOnce<std::round>>},
    {"exponential", ByElement<ByFunction<std::exp>>},
    {"exponential_minus_one", ByElement<ByFunction<std::expm1>>},
    {"log", ByElement<ByFunction<std::log>>},
    {"log_plus_one", ByElement<ByFunction<std::log1p>>},
    {"logistic", ByElement<ByFunction<Logistic>>},
    {"tanh", ByElement<ByFunction<std::tanh>>},
    {"sqrt", ByElement<ByFunction<std::sqrt>>},
    {"rsqrt", ByElement<ByFunction<InverseRoot>>},
    {"cbrt", ByElement<ByFunction<std::cbrt>>},
    {"power", ByElement<Power>},
    {"sine", ByElement<ByFunction<std::sin>>},
    {"cosine", ByElement<ByFunction<std::cos>>},
    {"tan", ByElement<ByFunction<std::tan>>},
    {"atan2", ByElement<Atan2>},
    {"erf", ByElement<ByFunction<std::erf>>},
    {"compare", OnceEach},
    {"select", OnceEach},
    {"convert", OnceEach},
    {"bitcast_convert", NoOperation},
    {"is_finite", OnceEach},
    {"and", OnceEach},
    {"or", OnceEach},
    {"xor", OnceEach},
    {"not", OnceEach},
    {"shift_left", OnceEach},
    {"shift_right_arithmetic", OnceEach},
    {"shift_right_logical", OnceEach},
    {"popcnt", OnceEach},
    {"count_leading_zeros", OnceEach},
    {"AddBias", AddBias},
    {"Scale", Scale},
};

}  // namespace

CostOracles ElementOracles() { return kElementOracles; }

}  // namespace podsim::testing
