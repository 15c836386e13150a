// Values and gradients of every element-wise op, as the kernels of each
// runnable level compute them, against the function and its derivative in
// double: numbers of every size, and the neighbourhood of each place where a
// kernel branches or stops. An op without a row here fails.
//
// A value is right within 5 units in the last place, a gradient within 16, or
// within 1e-6 where it is below 1 (float_calculator.h): everywhere but where a
// row says that a number on the way is no float32. At infinities, NaN and 0
// both are what JAX has (tests/testing/jax_ends.h).
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "models/ops/op_table.h"
#include "tests/models/kernels/float_calculator.h"
#include "tests/testing/jax_ends.h"

namespace podsim {
namespace {

using ::podsim::testing::IsAsJaxHas;
using ::podsim::testing::JaxEnds;

using OfNumbers = double (*)(const double* x);

struct Derivative {
  OfNumbers value;
  // Where the bound holds; null: everywhere.
  bool (*holds)(const double* x) = nullptr;
};

struct DerivativesOfOp {
  const char* op;
  // By each operand; none: the op is flat, or only appears in gradients.
  std::vector<Derivative> derivatives;
};

double Zero(const double*) { return 0; }
double One(const double*) { return 1; }
double MinusOne(const double*) { return -1; }
double First(const double* x) { return x[0]; }
double Second(const double* x) { return x[1]; }
double Exponential(const double* x) { return std::exp(x[0]); }
double Cosine(const double* x) { return std::cos(x[0]); }
double IsFirst(const double* x) {
  return x[0] > x[1] ? 1 : x[0] == x[1] ? 0.5 : 0;
}
double IsSecond(const double* x) {
  return x[1] > x[0] ? 1 : x[0] == x[1] ? 0.5 : 0;
}

double OfLogistic(const double* x) {
  const double e = std::exp(-std::fabs(x[0]));
  return e / ((1 + e) * (1 + e));
}
double OfTanh(const double* x) {
  return 1 / (std::cosh(x[0]) * std::cosh(x[0]));
}
double OfCbrt(const double* x) {
  return 1 / (3 * std::cbrt(x[0]) * std::cbrt(x[0]));
}
double OfErf(const double* x) {
  return 2 * std::numbers::inv_sqrtpi * std::exp(-x[0] * x[0]);
}

// -a / b^2 is computed as -(1 / b) (a / b), and 1 / b is infinite of a b below
// 2^-128, which is subnormal.
double ByDivisor(const double* x) { return -x[0] / (x[1] * x[1]); }
bool HasInverse(const double* x) { return std::fabs(x[1]) > 0x1p-128; }

// fmod is exact, where a quotient of doubles may be rounded up.
double ByModulus(const double* x) {
  return -(x[0] - std::fmod(x[0], x[1])) / x[1];
}

// As in JAX y - 1 is a float32 first. Of negative x the result depends on
// whether that is whole, and odd, which rounding changes unless y is whole and
// at most 2^24. x^(y - 1) must be a float32, too, and x^y of the other one: it
// is infinite where the derivative, which is y or log(x) times that, need not
// be.
double ByBase(const double* x) { return x[1] * std::pow(x[0], x[1] - 1); }
double ByExponent(const double* x) {
  return std::log(x[0] == 0 ? 1 : x[0]) * std::pow(x[0], x[1]);
}
bool IsFloat(double power) { return !(std::fabs(power) > 0.9999 * kLargest); }
bool HasPowerOfLess(const double* x) {
  const bool keeps_sign = std::trunc(x[1]) == x[1] && std::fabs(x[1]) <= 0x1p24;
  return (x[0] >= 0 || keeps_sign) && IsFloat(std::pow(x[0], x[1] - 1));
}
bool HasPower(const double* x) { return IsFloat(std::pow(x[0], x[1])); }

const std::vector<DerivativesOfOp>& Rows() {
  static const auto& rows = *new std::vector<DerivativesOfOp>{
      {"ReluGrad", {}},
      {"MaximumGrad", {}},
      {"sign", {{Zero}}},
      {"floor", {{Zero}}},
      {"ceil", {{Zero}}},
      {"round_nearest_even", {{Zero}}},
      {"round_nearest_afz", {{Zero}}},
      {"Relu", {{[](const double* x) { return x[0] > 0 ? 1.0 : 0.0; }}}},
      {"negate", {{MinusOne}}},
      {"abs", {{[](const double* x) { return x[0] >= 0 ? 1.0 : -1.0; }}}},
      {"add", {{One}, {One}}},
      {"subtract", {{One}, {MinusOne}}},
      {"multiply", {{Second}, {First}}},
      {"divide",
       {{[](const double* x) { return 1 / x[1]; }}, {ByDivisor, HasInverse}}},
      {"remainder", {{One}, {ByModulus}}},
      {"maximum", {{IsFirst}, {IsSecond}}},
      {"minimum", {{IsSecond}, {IsFirst}}},
      {"clamp",
       {{[](const double* x) {
          return x[0] > x[1] && x[2] > x[0] ? 1.0 : 0.0;
        }},
        {[](const double* x) {
          return x[1] > x[0] && x[2] > x[1] ? 1.0 : 0.0;
        }},
        {[](const double* x) {
          return std::fmax(x[0], x[1]) > x[2] ? 1.0 : 0.0;
        }}}},
      {"exponential", {{Exponential}}},
      {"exponential_minus_one", {{Exponential}}},
      {"log", {{[](const double* x) { return 1 / x[0]; }}}},
      {"log_plus_one", {{[](const double* x) { return 1 / (x[0] + 1); }}}},
      {"logistic", {{OfLogistic}}},
      {"tanh", {{OfTanh}}},
      {"sqrt", {{[](const double* x) { return 0.5 / std::sqrt(x[0]); }}}},
      {"rsqrt",
       {{[](const double* x) { return -0.5 / (x[0] * std::sqrt(x[0])); }}}},
      {"cbrt", {{OfCbrt}}},
      {"power", {{ByBase, HasPowerOfLess}, {ByExponent, HasPower}}},
      {"sine", {{Cosine}}},
      {"cosine", {{[](const double* x) { return -std::sin(x[0]); }}}},
      {"tan",
       {{[](const double* x) { return 1 + std::tan(x[0]) * std::tan(x[0]); }}}},
      {"atan2",
       {{[](const double* x) { return x[1] / (x[0] * x[0] + x[1] * x[1]); }},
        {[](const double* x) { return -x[0] / (x[0] * x[0] + x[1] * x[1]); }}}},
      {"erf", {{OfErf}}},
  };
  return rows;
}

const DerivativesOfOp* FindRow(const std::string& op) {
  for (const DerivativesOfOp& row : Rows())
    if (row.op == op) return &row;
  return nullptr;
}

// The operands of all points, one column each.
using Columns = std::vector<std::vector<float>>;

float Uniformly(const std::string& of, std::size_t i) {
  return UniformFloat(RandomKey(1, of), i);
}

// 2^-149 to 2^128 in size, evenly spaced in its logarithm, of either sign.
float AnySize(const std::string& of, std::size_t i) {
  const double size = std::exp2(277 * Uniformly(of, i) - 149);
  return static_cast<float>(Uniformly(of + "/sign", i) < 0.5F ? -size : size);
}

// A quarter each: of any sizes; of sizes from 1e-15 to 1e15; whose power is
// neither 0 nor infinite; whose quotient is a small whole number, or a
// neighbour of one.
Columns Pairs() {
  constexpr std::size_t kCount = 40000;
  Columns pairs(2);
  const auto add = [&](double a, double b) {
    pairs[0].push_back(static_cast<float>(a));
    pairs[1].push_back(static_cast<float>(b));
  };
  for (std::size_t i = 0; i < kCount; ++i) {
    const double a = AnySize("a", i);
    const double b = AnySize("b", i);
    const double small = std::pow(std::fabs(a), 0.3) * std::copysign(1, b);
    add(a, b);
    add(std::pow(std::fabs(a), 0.35) * std::copysign(1, a), small);
    add(std::fabs(a), 180 * (Uniformly("power", i) - 0.5F) /
                          std::log(std::fabs(static_cast<float>(a))));
    const float whole =
        std::floor(40 * Uniformly("whole", i)) * static_cast<float>(small);
    add(std::nextafter(whole, Uniformly("side", i) < 0.5F ? 0 : whole * 2),
        small);
  }
  return pairs;
}

// Bounds on both sides, crossed ones and x at a bound among them.
Columns Triples() {
  constexpr std::size_t kCount = 40000;
  Columns triples(3);
  for (std::size_t i = 0; i < kCount; ++i) {
    const float low = AnySize("low", i);
    const float high = AnySize("high", i);
    const float x = AnySize("x", i);
    triples[0].push_back(low);
    triples[1].push_back(i % 8 == 0 ? low : i % 8 == 1 ? high : x);
    triples[2].push_back(i % 16 == 2 ? low : high);
  }
  return triples;
}

const Columns& NumbersFor(int operands) {
  static const auto& numbers =
      *new std::vector<Columns>{{Grid()}, Pairs(), Triples()};
  return numbers.at(static_cast<std::size_t>(operands) - 1);
}

struct Results {
  std::vector<float> y;
  // By each operand; 0 where there is none.
  Columns gradients;
};

class GradientFunctionsTest : public KernelTest {
 protected:
  Results ResultsOf(const OpEntry& entry, const Columns& columns) const {
    const std::size_t count = columns[0].size();
    FloatCalculator calculator(kernels(), count);
    std::vector<Value> inputs;
    for (const std::vector<float>& column : columns)
      inputs.push_back(calculator.Add(column));
    const std::vector<Value> outputs = {
        calculator.Apply(CodeOf(entry), inputs, "y")};
    Results results{calculator.at(outputs[0]), {}};
    if (entry.gradient == nullptr) return results;
    const std::vector<Value> dy = {
        calculator.Add(std::vector<float>(count, 1.0F))};
    const auto gradients =
        entry.gradient(calculator, {inputs, outputs, {}}, dy);
    EXPECT_THAT(gradients, testing::IsOk());
    for (const Value gradient : *gradients)
      results.gradients.push_back(gradient.present()
                                      ? calculator.at(gradient)
                                      : std::vector<float>(count));
    return results;
  }

  void CheckOnGrid(const OpEntry& entry, const DerivativesOfOp& row) const {
    const Columns& columns = NumbersFor(entry.input_count);
    const Results results = ResultsOf(entry, columns);
    ASSERT_EQ(results.gradients.size(), row.derivatives.size()) << entry.name;
    std::vector<double> x(columns.size());
    for (std::size_t i = 0; i < results.y.size(); ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) x[j] = columns[j][i];
      ASSERT_TRUE(
          IsWithin(results.y[i], entry.scalar.value(x.data()), 5, 0x1p-120))
          << entry.name << " of " << ::testing::PrintToString(x);
      for (std::size_t j = 0; j < row.derivatives.size(); ++j) {
        const Derivative& derivative = row.derivatives[j];
        if (derivative.holds != nullptr && !derivative.holds(x.data()))
          continue;
        ASSERT_TRUE(
            IsGradient(results.gradients[j][i], derivative.value(x.data())))
            << "derivative " << j << " of " << entry.name << " at "
            << ::testing::PrintToString(x);
      }
    }
  }
};

TEST_P(GradientFunctionsTest, ValuesAndGradientsAreThoseOfDoubles) {
  for (const OpEntry* entry : AllOps()) {
    if (entry->scalar.value == nullptr) continue;
    const DerivativesOfOp* row = FindRow(entry->name);
    ASSERT_NE(row, nullptr) << entry->name << " has no row in this test";
    CheckOnGrid(*entry, *row);
  }
}

// The name under which the table has an op's operands.
const char* OperandsOf(const OpEntry& entry) {
  constexpr const char* kNames[] = {"exponential", "add", "clamp"};
  return kNames[entry.input_count - 1];
}

void ExpectAsJaxHas(const std::vector<float>& got, const std::string& name,
                    const Columns& columns) {
  const std::vector<double>& known = JaxEnds(name);
  ASSERT_EQ(got.size(), known.size()) << name;
  for (std::size_t i = 0; i < got.size(); ++i) {
    std::vector<float> x;
    for (const std::vector<float>& column : columns) x.push_back(column[i]);
    EXPECT_TRUE(IsAsJaxHas(got[i], known[i]))
        << name << " at " << ::testing::PrintToString(x) << " is " << got[i]
        << ", in JAX " << known[i];
  }
}

TEST_P(GradientFunctionsTest, EndsAreAsJaxHasThem) {
  for (const OpEntry* entry : AllOps()) {
    if (entry->scalar.value == nullptr || entry->gradient == nullptr) continue;
    Columns columns;
    for (int i = 0; i < entry->input_count; ++i) {
      const std::string name = OperandsOf(*entry);
      const auto& numbers = JaxEnds(name + " x" + std::to_string(i));
      columns.emplace_back(numbers.begin(), numbers.end());
    }
    const Results results = ResultsOf(*entry, columns);
    const std::string name = entry->name;
    ExpectAsJaxHas(results.y, name + " y", columns);
    for (std::size_t i = 0; i < results.gradients.size(); ++i)
      ExpectAsJaxHas(results.gradients[i], name + " d" + std::to_string(i),
                     columns);
  }
}

PODSIM_INSTANTIATE_KERNEL_TEST(GradientFunctionsTest);

}  // namespace
}  // namespace podsim
