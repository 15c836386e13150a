// Gradients of whole graphs, whose values are used once, twice or not at all,
// against central differences, in double on the slow machine (each op alone:
// tests/models/ops/gradient_check_test.cc). With a step h the difference
// quotient errs by about h^2 plus epsilon / h, 1e-10 for h = 1e-5 and values
// near 1.
#include "models/graph/gradient.h"

#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <random>
#include <string>

#include "models/graph/compile.h"
#include "tests/models/graph/bounded_machine.h"
#include "tests/models/graph/toy_program.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::BoundedMachine;
using ::podsim::testing::NoUpdate;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

constexpr std::int64_t kRows = 5;
constexpr std::int64_t kClasses = 4;
constexpr double kStep = 1e-5;
constexpr double kTolerance = 1e-8;

// Builds logits [B, kClasses].
using Builder = std::function<Value(Graph&)>;

Value GradientVar(Graph& g, const std::string& name,
                  std::vector<std::int64_t> dims) {
  return g.Variable(name, {std::move(dims)}, Initializer::kGlorotUniform);
}

Value Layer(Graph& g, Value x, const std::string& name, std::int64_t width) {
  return g.MatMul(x,
                  GradientVar(g, name, {g.type(x).shape.dims.back(), width}));
}

struct GradientCase {
  std::string name;
  Builder logits;
};

std::vector<GradientCase> Cases() {
  const auto x = [](Graph& g) { return g.Features({{3}}); };
  return {
      {"Layers",
       [=](Graph& g) {
         const Value a =
             g.AddBias(Layer(g, x(g), "a", 6), GradientVar(g, "c", {6}));
         const Value b = g.Reshape(g.Relu(g.Reshape(a, {{2, 3}})), {{6}});
         return g.AddBias(Layer(g, b, "b", 4), GradientVar(g, "d", {4}));
       }},
      {"ProductOfVariables",
       [=](Graph& g) {
         const Value w =
             g.MatMul(GradientVar(g, "u", {3, 2}), GradientVar(g, "v", {2, 4}));
         return g.MatMul(x(g), w);
       }},
      {"BatchUsedTwice",
       [=](Graph& g) {
         const Value a = Layer(g, x(g), "a", 4);
         const Value b = g.Relu(Layer(g, x(g), "b", 4));
         return g.Add(a, g.Add(b, a));
       }},
      {"VariablesWithOneGradient",
       [=](Graph& g) {
         return g.MatMul(x(g), g.Add(GradientVar(g, "a", {3, 4}),
                                     GradientVar(g, "b", {3, 4})));
       }},
      {"VariableUsedTwice",
       [=](Graph& g) {
         const Value w = GradientVar(g, "w", {3, 3});
         return Layer(g, g.MatMul(g.Relu(g.MatMul(x(g), w)), w), "b", 4);
       }},
      {"Functions",
       [=](Graph& g) {
         const auto of = [&](const char* op, std::vector<Value> operands) {
           return g.Apply(OpCode(op), std::move(operands))[0];
         };
         const Value a = of("tanh", {Layer(g, x(g), "a", 4)});
         const Value b = of("logistic", {Layer(g, x(g), "b", 4)});
         const Value gated = of("multiply", {a, of("subtract", {b, a})});
         return of("divide", {gated, of("exponential", {b})});
       }},
      {"ViewOfAVariable",
       [=](Graph& g) {
         return g.MatMul(x(g), g.Reshape(GradientVar(g, "a", {12}), {{3, 4}}));
       }},
  };
}

absl::StatusOr<Program> Build(const Builder& builder) {
  Graph g("case");
  const auto head = g.SoftmaxXent(builder(g), g.Labels());
  CompileOptions options;
  options.bfloat16_products = false;
  options.bucket_bytes = 1;  // every gradient a bucket
  return Compile(
      g, {.loss = head.loss, .weights = g.ExampleWeights(), .update = NoUpdate},
      options);
}

// Numbers for everything a Program reads, away from the kinks of relu.
class Setting {
 public:
  explicit Setting(const Program& program)
      : program_(program), random_(20240501) {
    for (const ProgramVariable& variable : program.variables)
      variables_[variable.tensor] =
          Draw(program.tensor(variable.tensor).shape.elements());
    features_ = Draw(kRows * 3);
    weights_ = Draw(kRows);
    for (std::int64_t row = 0; row < kRows; ++row)
      labels_.push_back(static_cast<std::int32_t>(row % kClasses));
  }

  BoundedMachine Machine() const {
    BoundedMachine machine(program_, kRows);
    for (const auto& [id, values] : variables_) machine.Set(id, values);
    machine.Set(program_.input("features"), features_);
    machine.Set(program_.example_weight(), weights_);
    machine.SetLabels(labels_);
    return machine;
  }

  double Loss() const {
    BoundedMachine machine = Machine();
    machine.Run(EntryPoint::kEval);
    double loss = 0;
    for (std::size_t row = 0; row < weights_.size(); ++row)
      loss += weights_[row] * machine.Get(program_.loss)[row].value;
    return loss;
  }

  double Difference(TensorId variable, std::size_t i) {
    double& value = variables_.at(variable)[i];
    const double kept = value;
    value = kept + kStep;
    const double above = Loss();
    value = kept - kStep;
    const double below = Loss();
    value = kept;
    return (above - below) / (2 * kStep);
  }

 private:
  std::vector<double> Draw(std::int64_t count) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) value = uniform(random_);
    return values;
  }

  const Program& program_;
  std::mt19937 random_;
  std::map<TensorId, std::vector<double>> variables_;
  std::vector<double> features_;
  std::vector<double> weights_;
  std::vector<std::int32_t> labels_;
};

class Gradient : public ::testing::TestWithParam<GradientCase> {};

TEST_P(Gradient, EqualsCentralDifferences) {
  ASSERT_OK_AND_ASSIGN(const Program program, Build(GetParam().logits));
  Setting setting(program);
  BoundedMachine machine = setting.Machine();
  machine.Run(EntryPoint::kTrainMicrobatch);
  std::size_t checked = 0;
  double largest = 0;
  for (const GradientBucket& bucket : program.buckets) {
    ASSERT_EQ(bucket.variables.size(), 1U);
    const auto& gradient = machine.Get(bucket.gradients[0]);
    for (std::size_t i = 0; i < gradient.size(); ++i, ++checked) {
      EXPECT_NEAR(gradient[i].value, setting.Difference(bucket.variables[0], i),
                  kTolerance)
          << program.tensor(bucket.variables[0]).name << "[" << i << "]";
      largest = std::max(largest, std::fabs(gradient[i].value));
    }
  }
  EXPECT_EQ(static_cast<std::int64_t>(checked), program.variable_elements);
  EXPECT_GT(largest, 1e-2) << "a gradient of nothing proves nothing";
}

INSTANTIATE_TEST_SUITE_P(Graphs, Gradient, ::testing::ValuesIn(Cases()),
                         [](const auto& each) { return each.param.name; });

TEST(AppendGradients, RefusesAVariableThatDoesNotReachTheLoss) {
  EXPECT_THAT(Build([](Graph& g) {
                GradientVar(g, "idle", {2});
                return Layer(g, g.Features({{3}}), "a", 4);
              }),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("variable idle does not reach the loss")));
}

TEST(AppendGradients, RefusesAnOpWithoutGradientOnTheWay) {
  EXPECT_THAT(Build([](Graph& g) {
                const Value a = Layer(g, g.Features({{3}}), "a", 4);
                return g.Apply(OpCode::kReluGrad, {a, a})[0];
              }),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("ReluGrad has no gradient")));
}

TEST(AppendGradients, RefusesProbabilitiesInsideTheLoss) {
  EXPECT_THAT(
      Build([](Graph& g) {
        return g.SoftmaxXent(Layer(g, g.Features({{3}}), "a", 4), g.Labels())
            .prob;
      }),
      StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("only the loss")));
}

}  // namespace
}  // namespace podsim
