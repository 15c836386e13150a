// Values and gradients of element-wise functions, and of activations made of
// them, as the kernels of each runnable level compute them, against the
// function and its derivative in double: numbers of every size, and the
// neighbourhood of each place where a kernel branches or stops.
//
// A gradient is right within 16 units in the last place, or within 1e-6 where
// it is below 1. At infinities and NaN it is of the class that JAX has: zero,
// finite, infinite of the same sign, or NaN.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "models/composites/expr.h"
#include "models/composites/gelu.h"
#include "models/graph/graph.h"
#include "models/ops/op_table.h"
#include "tests/models/kernels/kernel_fixture.h"

namespace podsim {
namespace {

constexpr float kUnbounded = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

// 20,000 of each sign from the least number to the largest, evenly spaced in
// their logarithm; powers of two; and the neighbours of what kernels compare
// with: where tanh and erf become 1, where exponentials overflow, become 0 or
// lose their 1, the parts that logarithms and exponentials are made of, and
// where sine and cosine turn to another way.
std::vector<float> Grid() {
  constexpr int kCount = 20000;
  constexpr int kNeighbours = 4;
  std::vector<float> grid;
  const double low = std::log(0x1p-149);
  const double step = (std::log(static_cast<double>(kLargest)) - low) / kCount;
  for (int i = 0; i <= kCount; ++i)
    grid.push_back(static_cast<float>(std::exp(low + i * step)));
  for (int i = -149; i < 128; ++i) grid.push_back(std::ldexp(1.0F, i));
  for (const float place :
       {0.0F,    0x1p-126F, 0.25F,    0.3467F, 0.41421F, 0.5F,    0.70711F,
        0.875F,  1.0F,      1.41421F, 2.0F,    3.92F,    4.0F,    7.9F,
        8.32F,   9.0F,      9.011F,   9.02F,   9.1F,     16.6F,   17.33F,
        30.0F,   44.0F,     87.34F,   88.0F,   88.7228F, 89.0F,   103.97F,
        104.5F,  0x1p17F,   0x1p22F,  0x1p23F, 0x1p24F,  0x1p31F, 1e19F,
        1.8e19F, kLargest}) {
    float number = place;
    for (int i = 0; i < kNeighbours; ++i) number = std::nextafter(number, -1);
    for (int i = 0; i <= 2 * kNeighbours; ++i) {
      if (std::isfinite(number)) grid.push_back(number);
      number = std::nextafter(number, kUnbounded);
    }
  }
  const std::size_t count = grid.size();
  for (std::size_t i = 0; i < count; ++i) grid.push_back(-grid[i]);
  for (const float end : {kUnbounded, -kUnbounded, std::nanf("")})
    grid.push_back(end);
  return grid;
}

// Of float32, at `number`.
double UnitInLastPlace(double number) {
  const int exponent = std::max(std::ilogb(number), -126);
  return std::ldexp(1.0, exponent - 23);
}

::testing::AssertionResult IsWithin(float got, double want, double units,
                                    double absolute) {
  constexpr double kNearlyLargest = kLargest * (1 - 1e-6);
  bool right = false;
  if (std::isnan(want)) {
    right = std::isnan(got);
  } else if (std::fabs(want) >= kNearlyLargest) {
    right = std::fabs(got) >= kNearlyLargest &&
            std::signbit(got) == std::signbit(want);
  } else {
    const double off = std::fabs(got - want);
    right = (want != 0 && off <= units * UnitInLastPlace(want)) ||
            (std::fabs(want) < 1 && off <= absolute);
  }
  if (right) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << got << ", should be " << want;
}

::testing::AssertionResult IsGradient(float got, double want) {
  return IsWithin(got, want, 16, 1e-6);
}

// Computes what is applied by the kernels, instead of putting it into a graph.
class FloatCalculator final : public GradientBuilder {
 public:
  FloatCalculator(const PodsimKernels& kernels, std::size_t count)
      : kernels_(kernels), count_(count) {}

  Value Add(std::vector<float> numbers) {
    EXPECT_EQ(numbers.size(), count_);
    numbers_.push_back(std::move(numbers));
    return {static_cast<std::int32_t>(numbers_.size()) - 1};
  }

  using GradientBuilder::Apply;
  Value Apply(OpCode op, std::vector<Value> inputs, const std::string& /*role*/,
              OpAttributes attributes) override {
    std::vector<float> out(count_, attributes.value);
    if (op != OpCode::kConstant) {
      std::vector<const float*> in;
      for (const Value input : inputs) in.push_back(at(input).data());
      RunElementwise(kernels_, EntryOf(op).name, in, out);
    }
    return Add(std::move(out));
  }

  const ValueType& type(Value /*value*/) const override { return type_; }
  const std::vector<float>& at(Value value) const {
    return numbers_.at(static_cast<std::size_t>(value.id));
  }

 private:
  const PodsimKernels& kernels_;
  const std::size_t count_;
  const ValueType type_;
  std::vector<std::vector<float>> numbers_;
};

struct Function {
  const char* op;
  double (*derivative)(double x);
};

const std::vector<Function> kFunctions = {
    {"abs", [](double x) { return x > 0   ? 1
                                  : x < 0 ? -1
                                          : x; }},
    {"negate", [](double) { return -1.0; }},
    {"exponential", [](double x) { return std::exp(x); }},
    {"exponential_minus_one", [](double x) { return std::exp(x); }},
    {"log", [](double x) { return 1 / x; }},
    {"log_plus_one", [](double x) { return 1 / (x + 1); }},
    {"logistic",
     [](double x) {
       const double e = std::exp(-std::fabs(x));
       return e / ((1 + e) * (1 + e));
     }},
    {"tanh", [](double x) { return 1 / (std::cosh(x) * std::cosh(x)); }},
    {"sqrt", [](double x) { return 0.5 / std::sqrt(x); }},
    {"rsqrt", [](double x) { return -0.5 / (x * std::sqrt(x)); }},
    {"cbrt", [](double x) { return 1 / (3 * std::cbrt(x) * std::cbrt(x)); }},
    {"sine", [](double x) { return std::cos(x); }},
    {"cosine", [](double x) { return -std::sin(x); }},
    {"tan", [](double x) { return 1 + std::tan(x) * std::tan(x); }},
    {"erf",
     [](double x) { return 2 * std::numbers::inv_sqrtpi * std::exp(-x * x); }},
};

class GradientFunctionsTest : public KernelTest {};

TEST_P(GradientFunctionsTest, ValuesAndGradientsAreThoseOfDoubles) {
  const std::vector<float> x = Grid();
  for (const Function& function : kFunctions) {
    const OpEntry& entry = EntryOf(OpCode(function.op));
    FloatCalculator calculator(kernels(), x.size());
    const std::vector<Value> inputs = {calculator.Add(x)};
    const std::vector<Value> outputs = {
        calculator.Apply(OpCode(function.op), inputs, "y")};
    const std::vector<Value> dy = {
        calculator.Add(std::vector<float>(x.size(), 1.0F))};
    ASSERT_OK_AND_ASSIGN(const std::vector<Value> gradients,
                         entry.gradient(calculator, {inputs, outputs, {}}, dy));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double at = x[i];
      ASSERT_TRUE(IsWithin(calculator.at(outputs[0])[i],
                           entry.scalar.value(&at), 5, 0x1p-120))
          << function.op << " of " << x[i];
      ASSERT_TRUE(
          IsGradient(calculator.at(gradients[0])[i], function.derivative(at)))
          << "derivative of " << function.op << " at " << x[i];
    }
  }
}

// A graph of element-wise ops of "x" [B], forward and backward.
struct Slopes {
  std::vector<float> y;
  std::vector<float> dx;
};

Slopes SlopesOf(const PodsimKernels& kernels, const Graph& graph, Value x,
                Value y, const std::vector<float>& numbers) {
  FloatCalculator calculator(kernels, numbers.size());
  std::map<std::int32_t, Value> known = {{x.id, calculator.Add(numbers)}};
  const auto in = [&](const std::vector<Value>& values) {
    std::vector<Value> found;
    for (const Value value : values) found.push_back(known.at(value.id));
    return found;
  };
  for (const GraphNode& node : graph.nodes())
    known[node.outputs[0].id] =
        calculator.Apply(node.op, in(node.inputs), "y", node.attributes);
  std::map<std::int32_t, Value> slopes = {
      {y.id, calculator.Add(std::vector<float>(numbers.size(), 1.0F))}};
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend();
       ++node) {
    const auto dy = slopes.find(node->outputs[0].id);
    if (dy == slopes.end() || node->inputs.empty()) continue;
    const std::vector<Value> inputs = in(node->inputs);
    const std::vector<Value> outputs = in(node->outputs);
    const auto gradients = EntryOf(node->op).gradient(
        calculator, {inputs, outputs, node->attributes}, {{dy->second}});
    EXPECT_TRUE(gradients.ok()) << gradients.status();
    for (std::size_t i = 0; gradients.ok() && i < gradients->size(); ++i) {
      if (!(*gradients)[i].present()) continue;
      const auto [sum, first] =
          slopes.try_emplace(node->inputs[i].id, (*gradients)[i]);
      if (!first)
        sum->second = calculator.Apply(OpCode("add"),
                                       {sum->second, (*gradients)[i]}, "sum");
    }
  }
  return {calculator.at(known.at(y.id)), calculator.at(slopes.at(x.id))};
}

struct Activation {
  const char* name;
  Value (*build)(Graph& graph, Value x);
  double (*derivative)(double x);
};

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double Softplus(double x) {
  return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x)));
}

double SechSquared(double x) {
  const double e = std::exp(-std::fabs(x));
  const double sech = 2 * e / (1 + e * e);
  return sech * sech;
}

const std::vector<Activation> kActivations = {
    {"gelu by tanh", [](Graph& graph, Value x) { return Gelu(graph, x, "y"); },
     [](double x) {
       const double factor = std::sqrt(2 * std::numbers::inv_pi);
       const double inner = factor * (x + 0.044715 * x * x * x);
       return 0.5 * (1 + std::tanh(inner)) +
              0.5 * x * SechSquared(inner) * factor * (1 + 0.134145 * x * x);
     }},
    {"gelu by erf",
     [](Graph& graph, Value x) { return ExactGelu(graph, x, "y"); },
     [](double x) {
       return 0.5 * std::erfc(-x / std::numbers::sqrt2) +
              x * std::exp(-x * x / 2) * std::numbers::inv_sqrtpi /
                  std::numbers::sqrt2;
     }},
    {"silu",
     [](Graph& graph, Value x) {
       const Expr of(graph, x, "y");
       return (of * of.Apply("logistic")).value();
     },
     [](double x) { return Sigmoid(x) + x * Sigmoid(x) * Sigmoid(-x); }},
    {"x tanh x",
     [](Graph& graph, Value x) {
       const Expr of(graph, x, "y");
       return (of * of.Apply("tanh")).value();
     },
     [](double x) { return std::tanh(x) + x * SechSquared(x); }},
    {"softplus",
     [](Graph& graph, Value x) {
       const Expr of(graph, x, "y");
       return (of.Apply("maximum", {of.Splat(0)}) +
               (-of.Apply("abs")).Apply("exponential").Apply("log_plus_one"))
           .value();
     },
     [](double x) { return x == 0 ? 0.5 : Sigmoid(x); }},
    {"mish",
     [](Graph& graph, Value x) {
       const Expr of(graph, x, "y");
       const Expr plus =
           of.Apply("maximum", {of.Splat(0)}) +
           (-of.Apply("abs")).Apply("exponential").Apply("log_plus_one");
       return (of * plus.Apply("tanh")).value();
     },
     [](double x) {
       return std::tanh(Softplus(x)) +
              x * SechSquared(Softplus(x)) * Sigmoid(x);
     }},
};

// Beyond 1e12 a cube overflows float32, in JAX as here.
TEST_P(GradientFunctionsTest, ActivationsHaveTheirSlopesToTheEnds) {
  std::vector<float> numbers = Grid();
  std::erase_if(numbers, [](float x) { return !(std::fabs(x) < 1e12F); });
  for (const Activation& activation : kActivations) {
    Graph graph(activation.name);
    const Value x = graph.Input("x", DType::kFloat32, {});
    const Value y = activation.build(graph, x);
    ASSERT_THAT(graph.status(), testing::IsOk());
    const Slopes slopes = SlopesOf(kernels(), graph, x, y, numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      ASSERT_TRUE(IsGradient(slopes.dx[i], activation.derivative(numbers[i])))
          << "derivative of " << activation.name << " at " << numbers[i];
  }
}

// Derivatives of functions of two numbers, 1e-15 to 1e15 in size.
struct PairFunction {
  const char* op;
  double (*first)(double a, double b);
  double (*second)(double a, double b);
};

const std::vector<PairFunction> kPairs = {
    {"add", [](double, double) { return 1.0; },
     [](double, double) { return 1.0; }},
    {"subtract", [](double, double) { return 1.0; },
     [](double, double) { return -1.0; }},
    {"multiply", [](double, double b) { return b; },
     [](double a, double) { return a; }},
    {"divide", [](double, double b) { return 1 / b; },
     [](double a, double b) { return -a / (b * b); }},
    {"maximum", [](double a, double b) { return a > b ? 1.0 : 0.0; },
     [](double a, double b) { return a > b ? 0.0 : 1.0; }},
    {"minimum", [](double a, double b) { return a < b ? 1.0 : 0.0; },
     [](double a, double b) { return a < b ? 0.0 : 1.0; }},
    {"atan2", [](double a, double b) { return b / (a * a + b * b); },
     [](double a, double b) { return -a / (a * a + b * b); }},
};

TEST_P(GradientFunctionsTest, PairsHaveTheirDerivatives) {
  constexpr std::size_t kCount = 40000;
  std::vector<float> a;
  std::vector<float> b;
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto number = [i](const char* of) {
      const double size = 30 * UniformFloat(RandomKey(1, of), i) - 15;
      const bool negative = UniformFloat(RandomKey(2, of), i) < 0.5F;
      return static_cast<float>((negative ? -1 : 1) * std::pow(10, size));
    };
    a.push_back(number("a"));
    b.push_back(number("b"));
  }
  for (const PairFunction& function : kPairs) {
    FloatCalculator calculator(kernels(), kCount);
    const std::vector<Value> inputs = {calculator.Add(a), calculator.Add(b)};
    const std::vector<Value> outputs = {
        calculator.Apply(OpCode(function.op), inputs, "y")};
    const std::vector<Value> dy = {
        calculator.Add(std::vector<float>(kCount, 1.0F))};
    ASSERT_OK_AND_ASSIGN(const std::vector<Value> gradients,
                         EntryOf(OpCode(function.op))
                             .gradient(calculator, {inputs, outputs, {}}, dy));
    for (std::size_t i = 0; i < kCount; ++i) {
      ASSERT_TRUE(IsGradient(calculator.at(gradients[0])[i],
                             function.first(a[i], b[i])))
          << function.op << " of " << a[i] << " and " << b[i];
      ASSERT_TRUE(IsGradient(calculator.at(gradients[1])[i],
                             function.second(a[i], b[i])))
          << function.op << " of " << a[i] << " and " << b[i];
    }
  }
}

PODSIM_INSTANTIATE_KERNEL_TEST(GradientFunctionsTest);

}  // namespace
}  // namespace podsim
