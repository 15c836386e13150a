// Activations made of element-wise ops, their values and derivatives, at each
// ISA level of this machine, against doubles on the grid of the ops' own test,
// and against JAX at the ends; and the gradients of ops whose operands differ
// in type.
#include <cmath>
#include <cstddef>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "models/composites/expr.h"
#include "models/composites/gelu.h"
#include "models/ops/rules.h"
#include "tests/host/core/core_fixture.h"
#include "tests/host/core/kernel_calculator.h"
#include "tests/models/kernels/float_calculator.h"
#include "tests/testing/jax_ends.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsAsJaxHas;
using ::podsim::testing::JaxEnds;
using ::podsim::testing::KernelCalculator;
using ::podsim::testing::Slopes;
using ::podsim::testing::SlopesOf;

constexpr double kAlpha = 1.6732632423543772;
constexpr double kScale = 1.0507009873554805;

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double Softplus(double x) {
  return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x)));
}
double SechSquared(double x) {
  const double e = std::exp(-std::fabs(x));
  const double sech = 2 * e / (1 + e * e);
  return sech * sech;
}
double GeluInner(double x) {
  return std::sqrt(2 * std::numbers::inv_pi) * (x + 0.044715 * x * x * x);
}
double Elu(double x) { return x > 0 ? x : std::expm1(x); }
double Six(double x) { return std::fmin(std::fmax(x, 0), 6); }
// Half at the kinks, as JAX has it.
double SixSlope(double x) {
  return x == 0 || x == 6 ? 0.5 : x > 0 && x < 6 ? 1 : 0;
}

Expr SoftplusOf(const Expr& x) {
  return x.Apply("maximum", {x.Splat(0)}) +
         (-x.Apply("abs")).Apply("exponential").Apply("log_plus_one");
}
Expr EluOf(const Expr& x, double alpha) {
  const Expr positive = x.Compare("GT", x.Splat(0));
  const Expr safe = positive.Select(x.Splat(0), x);
  return positive.Select(x, safe.Apply("exponential_minus_one") * alpha);
}
Expr SixOf(const Expr& x) {
  return x.Apply("maximum", {x.Splat(0)}).Apply("minimum", {x.Splat(6)});
}

struct ActivationCase {
  const char* name;
  Expr (*build)(const Expr& x);
  double (*value)(double x);
  double (*derivative)(double x);
  // How far the value may be off: units in the last place, the sum of those of
  // its ops; and units of 2^-24 of x where x is negative, as a sum with 1
  // leaves little of what was rounded beside it (half of tanh's 10, erf's 1,
  // the sum's 1 and what that of the inner function makes, at most 2).
  double units = 5;
  double lost_units = 0;
};

const std::vector<ActivationCase>& Activations() {
  static const auto& all = *new std::vector<ActivationCase>{
      {"gelu_tanh", nullptr,
       [](double x) { return 0.5 * x * (1 + std::tanh(GeluInner(x))); },
       [](double x) {
         const double factor = std::sqrt(2 * std::numbers::inv_pi);
         return 0.5 * (1 + std::tanh(GeluInner(x))) +
                0.5 * x * SechSquared(GeluInner(x)) * factor *
                    (1 + 0.134145 * x * x);
       },
       10, 6.5},
      {"gelu_erf", nullptr,
       [](double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); },
       [](double x) {
         return 0.5 * std::erfc(-x / std::numbers::sqrt2) +
                x * std::exp(-x * x / 2) * std::numbers::inv_sqrtpi /
                    std::numbers::sqrt2;
       },
       5, 2},
      {"silu", [](const Expr& x) { return x * x.Apply("logistic"); },
       [](double x) { return x * Sigmoid(x); },
       [](double x) { return Sigmoid(x) + x * Sigmoid(x) * Sigmoid(-x); }, 6},
      {"x_tanh_x", [](const Expr& x) { return x * x.Apply("tanh"); },
       [](double x) { return x * std::tanh(x); },
       [](double x) { return std::tanh(x) + x * SechSquared(x); }, 6},
      {"softplus", SoftplusOf, Softplus,
       // Half of the maximum's less half of abs's at 0, as in JAX.
       [](double x) { return x == 0 ? 0 : Sigmoid(x); }, 7},
      {"mish", [](const Expr& x) { return x * SoftplusOf(x).Apply("tanh"); },
       [](double x) { return x * std::tanh(Softplus(x)); },
       [](double x) {
         return std::tanh(Softplus(x)) +
                x * SechSquared(Softplus(x)) * Sigmoid(x);
       },
       13},
      {"relu6", SixOf, Six, SixSlope, 0},
      {"elu", [](const Expr& x) { return EluOf(x, 1); }, Elu,
       [](double x) { return x > 0 ? 1 : std::exp(x); }},
      {"selu", [](const Expr& x) { return EluOf(x, kAlpha) * kScale; },
       [](double x) { return kScale * (x > 0 ? x : kAlpha * std::expm1(x)); },
       [](double x) { return kScale * (x > 0 ? 1 : kAlpha * std::exp(x)); }, 8},
      {"leaky_relu",
       [](const Expr& x) {
         return x.Compare("GE", x.Splat(0)).Select(x, x * 0.01);
       },
       [](double x) { return x >= 0 ? x : 0.01 * x; },
       [](double x) { return x >= 0 ? 1 : 0.01; }},
      {"soft_sign", [](const Expr& x) { return x / (x.Apply("abs") + 1); },
       [](double x) { return x / (1 + std::fabs(x)); },
       [](double x) { return 1 / ((1 + std::fabs(x)) * (1 + std::fabs(x))); }},
      {"hard_swish",
       [](const Expr& x) { return x * SixOf(x + 3) / x.Splat(6); },
       [](double x) { return x * Six(x + 3) / 6; },
       [](double x) { return (Six(x + 3) + x * SixSlope(x + 3)) / 6; }},
  };
  return all;
}

Slopes SlopesAt(const PodsimKernels& kernels, const ActivationCase& activation,
                const std::vector<double>& numbers) {
  Graph graph(activation.name);
  const Value x = graph.Input("x", DType::kFloat32, {});
  const std::string name = activation.name;
  const Value y = name == "gelu_tanh" ? Gelu(graph, x, "y")
                  : name == "gelu_erf"
                      ? ExactGelu(graph, x, "y")
                      : activation.build({graph, x, "y"}).value();
  EXPECT_THAT(graph.status(), testing::IsOk());
  Tensor at(graph.type(x), static_cast<std::int64_t>(numbers.size()));
  Tensor dy = at;
  at.values = numbers;
  for (double& number : dy.values) number = 1;
  return SlopesOf(kernels, graph, {{x.id, at}}, x, y, dy);
}

class ActivationSlopes : public ::testing::TestWithParam<std::string> {
 protected:
  const PodsimKernels& kernels() const {
    return testing::KernelsNamed(GetParam());
  }
};

// Beyond 1e12 a cube overflows float32, in JAX as here.
std::vector<double> Numbers() {
  std::vector<double> numbers;
  for (const float x : Grid())
    if (std::fabs(x) < 1e12F) numbers.push_back(x);
  return numbers;
}

TEST_P(ActivationSlopes, AreThoseOfDoubles) {
  const std::vector<double> numbers = Numbers();
  for (const ActivationCase& activation : Activations()) {
    const Slopes slopes = SlopesAt(kernels(), activation, numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double x = numbers[i];
      const double lost =
          x < 0 ? activation.lost_units * kUnitRoundoff * -x : 0;
      ASSERT_TRUE(IsWithin(static_cast<float>(slopes.y.values[i]),
                           activation.value(x), activation.units,
                           lost + 0x1p-120))
          << activation.name << " of " << x;
      ASSERT_TRUE(IsGradient(static_cast<float>(slopes.dx.values[i]),
                             activation.derivative(x)))
          << "derivative of " << activation.name << " at " << x;
    }
  }
}

TEST_P(ActivationSlopes, AreAtTheEndsAsJaxHasThem) {
  const std::vector<double>& ends = JaxEnds("exponential x0");
  for (const ActivationCase& activation : Activations()) {
    const Slopes slopes = SlopesAt(kernels(), activation, ends);
    const auto& y = JaxEnds(std::string(activation.name) + " y");
    const auto& dx = JaxEnds(std::string(activation.name) + " d0");
    ASSERT_EQ(dx.size(), ends.size()) << activation.name;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      EXPECT_TRUE(IsAsJaxHas(slopes.y.values[i], y[i]))
          << activation.name << " of " << ends[i] << " is "
          << slopes.y.values[i] << ", in JAX " << y[i];
      EXPECT_TRUE(IsAsJaxHas(slopes.dx.values[i], dx[i]))
          << "derivative of " << activation.name << " at " << ends[i] << " is "
          << slopes.dx.values[i] << ", in JAX " << dx[i];
    }
  }
}

std::vector<Value> GradientsOf(KernelCalculator& calculator, const char* op,
                               const std::vector<Value>& inputs,
                               const OpAttributes& attributes) {
  const std::vector<Value> y =
      calculator.ApplyAll(OpCode(op), inputs, attributes);
  Tensor ones = calculator.at(y[0]);
  for (double& number : ones.values) number = 1;
  const auto gradients = EntryOf(OpCode(op))
                             .gradient(calculator, {inputs, y, attributes},
                                       {{calculator.Add(ones)}});
  EXPECT_THAT(gradients, testing::IsOk());
  return *gradients;
}

// Where the choice falls, whatever the numbers are.
TEST_P(ActivationSlopes, OfSelectIsOneWhereItsOperandIsChosen) {
  const std::vector<double> numbers = Numbers();
  const auto rows = static_cast<std::int64_t>(numbers.size());
  KernelCalculator calculator(kernels(), rows);
  Tensor chosen(Batched({}, DType::kBool), rows);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    chosen.values[i] = i % 3 == 0 ? 1 : 0;
  Tensor x(Batched({}), rows);
  x.values = numbers;
  for (const double end : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    x.values[0] = x.values[1] = end;
    const Value operand = calculator.Add(x);
    const std::vector<Value> gradients = GradientsOf(
        calculator, "select", {calculator.Add(chosen), operand, operand}, {});
    EXPECT_FALSE(gradients[0].present());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      ASSERT_EQ(calculator.at(gradients[1]).values[i], chosen.values[i]);
      ASSERT_EQ(calculator.at(gradients[2]).values[i], 1 - chosen.values[i]);
    }
  }
}

TEST_P(ActivationSlopes, OfConversionsAreOneBetweenFloatsAlone) {
  KernelCalculator calculator(kernels(), 2);
  const Value x = calculator.Add(Tensor(Batched({}), 2));
  for (const DType to : {DType::kFloat32, DType::kBFloat16, DType::kInt32}) {
    OpAttributes attributes;
    attributes.dtype = to;
    const Value dx = GradientsOf(calculator, "convert", {x}, attributes)[0];
    ASSERT_EQ(dx.present(), to != DType::kInt32);
    if (!dx.present()) continue;
    EXPECT_EQ(calculator.type(dx), Batched({}));
    EXPECT_EQ(calculator.at(dx).values, (std::vector<double>{1, 1}));
  }
  OpAttributes bits;
  bits.dtype = DType::kUint32;
  EXPECT_FALSE(
      GradientsOf(calculator, "bitcast_convert", {x}, bits)[0].present());
}

// A new one is tested here, too. AddBias is an addition.
TEST(TypedOps, HaveNoOtherGradients) {
  std::set<std::string> with_gradients;
  for (const OpEntry* entry : AllOps())
    if (entry->is_element_wise && entry->scalar.value == nullptr &&
        entry->gradient != nullptr)
      with_gradients.insert(entry->name);
  EXPECT_EQ(with_gradients, (std::set<std::string>{"AddBias", "bitcast_convert",
                                                   "convert", "select"}));
}

INSTANTIATE_TEST_SUITE_P(Levels, ActivationSlopes,
                         ::testing::ValuesIn(RunnableLevels()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace podsim
