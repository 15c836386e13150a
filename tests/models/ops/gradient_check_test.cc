// The gradient rule of every op that has one, against central differences of
// its reference, all in double. The ops that a rule appends are computed by
// their references at once, so these are checked too.
//
// With a step h the difference quotient errs by about h^2 f''' / 6 and by
// epsilon |f| / h: 1e-10 each for h = 1e-5, f of some tens and derivatives near
// 1, a hundred times that where third derivatives come to some hundreds;
// numbers are drawn, so that none is within h of a kink.
#include <cmath>
#include <cstddef>
#include <vector>

#include "models/ops/moves.h"
#include "models/ops/op_table.h"
#include "models/ops/reference.h"
#include "tests/models/ops/sample_operands.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::DrawOperands;
using ::podsim::testing::EveryOp;
using ::podsim::testing::NameOfOp;

constexpr std::int64_t kRows = 3;
constexpr double kStep = 1e-5;
constexpr double kTolerance = 1e-7;

// Computes what is applied, instead of putting it into a graph.
class Calculator final : public GradientBuilder {
 public:
  Value Add(Tensor tensor) {
    tensors_.push_back(std::move(tensor));
    return {static_cast<std::int32_t>(tensors_.size()) - 1};
  }

  using GradientBuilder::Apply;
  Value Apply(OpCode op, std::vector<Value> inputs, const std::string& role,
              OpAttributes attributes) override {
    EXPECT_FALSE(role.empty());
    std::vector<Tensor> operands;
    operands.reserve(inputs.size());
    for (const Value input : inputs) operands.push_back(at(input));
    return Add(Evaluate(EntryOf(op), operands, attributes, kRows)[0]);
  }

  const ValueType& type(Value value) const override { return at(value).type; }
  const Tensor& at(Value value) const {
    return tensors_.at(static_cast<std::size_t>(value.id));
  }

 private:
  std::vector<Tensor> tensors_;
};

double Dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    sum += a.values[i] * b.values[i];
  return sum;
}

// A sample case as a function of its operands: the dot product of one of its
// results with numbers of no meaning, which are that result's gradient then.
class Case {
 public:
  Case(const OpEntry& entry, const OpSample& sample, std::size_t output)
      : entry_(entry),
        attributes_(sample.attributes),
        output_(output),
        operands_(DrawOperands(sample, kRows)),
        weights_(DrawOperands({.inputs = {sample.outputs[output]}, .seed = 7},
                              kRows)[0]) {}

  double Function() const {
    return Dot(Evaluate(entry_, operands_, attributes_, kRows)[output_],
               weights_);
  }

  // By the rule. One tensor per operand, empty where it has no gradient.
  absl::StatusOr<std::vector<std::vector<double>>> Gradients() const {
    Calculator calculator;
    std::vector<Value> inputs;
    std::vector<Value> outputs;
    for (const Tensor& operand : operands_)
      inputs.push_back(calculator.Add(operand));
    for (Tensor& result : Evaluate(entry_, operands_, attributes_, kRows))
      outputs.push_back(calculator.Add(std::move(result)));
    std::vector<Value> dy(outputs.size(), kNone);
    dy[output_] = calculator.Add(weights_);
    PODSIM_ASSIGN_OR_RETURN(
        const std::vector<Value> gradients,
        entry_.gradient(calculator, {inputs, outputs, attributes_}, dy));
    std::vector<std::vector<double>> result;
    for (const Value gradient : gradients) {
      result.emplace_back();
      if (gradient.present()) result.back() = calculator.at(gradient).values;
    }
    return result;
  }

  // By a step to either side.
  double Difference(std::size_t operand, std::size_t i) {
    double& value = operands_[operand].values[i];
    const double kept = value;
    value = kept + kStep;
    const double above = Function();
    value = kept - kStep;
    const double below = Function();
    value = kept;
    return (above - below) / (2 * kStep);
  }

  // The numbers of another case with the same shapes.
  void Take(const Case& other) {
    for (std::size_t i = 0; i < operands_.size(); ++i)
      operands_[i].values = other.operands_[i].values;
    weights_.values = other.weights_.values;
  }

  const std::vector<Tensor>& operands() const { return operands_; }

 private:
  const OpEntry& entry_;
  const OpAttributes& attributes_;
  const std::size_t output_;
  std::vector<Tensor> operands_;
  Tensor weights_;
};

// An absent gradient is one of zeros.
void Check(Case& test, const std::vector<std::vector<double>>& gradients) {
  ASSERT_EQ(gradients.size(), test.operands().size());
  bool any = false;
  double largest = 0;
  for (std::size_t operand = 0; operand < gradients.size(); ++operand) {
    const Tensor& x = test.operands()[operand];
    if (x.type.dtype == DType::kBFloat16) continue;  // it is rounded
    if (x.type.dtype != DType::kFloat32) {
      EXPECT_TRUE(gradients[operand].empty()) << "of an integer";
      continue;
    }
    const bool absent = gradients[operand].empty();
    any = any || !absent;
    if (!absent) {
      ASSERT_EQ(gradients[operand].size(), x.values.size());
    }
    for (std::size_t i = 0; i < x.values.size(); ++i) {
      const double gradient = absent ? 0 : gradients[operand][i];
      EXPECT_NEAR(gradient, test.Difference(operand, i), kTolerance)
          << "operand " << operand << "[" << i << "]";
      largest = std::max(largest, std::fabs(gradient));
    }
  }
  if (any) {
    EXPECT_GT(largest, 1e-2) << "a gradient of nothing proves nothing";
  }
}

class OpGradient : public ::testing::TestWithParam<const OpEntry*> {};

// Through each result that has one. Rounded operands have none: a rounded
// number does not move with its operand.
TEST_P(OpGradient, EqualsCentralDifferences) {
  const OpEntry& entry = *GetParam();
  int checked = 0;
  for (const OpSample& sample : SamplesOf(entry)) {
    if (sample.attributes.rounded_operands) continue;
    for (std::size_t output = 0; output < sample.outputs.size(); ++output) {
      // What is rounded, or whole, does not move with its operand.
      if (sample.outputs[output].dtype != DType::kFloat32) continue;
      Case test(entry, sample, output);
      const auto gradients = test.Gradients();
      if (absl::IsUnimplemented(gradients.status())) continue;
      ASSERT_OK_AND_ASSIGN(const auto known, gradients);
      Check(test, known);
      ++checked;
    }
  }
  EXPECT_GT(checked, 0) << "no result has a gradient";
}

// Of ops that move bfloat16 or add it up, which is rounded once: those of
// float32 for the same numbers, rounded. Rounding to 8 bits moves a number by
// at most 2^-8 of it; a quotient was a float32 before.
TEST_P(OpGradient, OfBFloat16AreThoseOfFloat32Rounded) {
  const OpEntry& entry = *GetParam();
  if (entry.scalar.value != nullptr) return;  // formulas, rounded step by step
  for (const OpSample& sample : SamplesOf(entry)) {
    const OpSample rounded = InBFloat16(sample);
    const auto types =
        InferTypes(CodeOf(entry), rounded.inputs, rounded.attributes);
    if (rounded.inputs == sample.inputs || !types.ok() ||
        *types != rounded.outputs)
      continue;
    Case of_rounded(entry, rounded, 0);
    Case of_float(entry, sample, 0);
    of_float.Take(of_rounded);
    const auto of_float_rule = of_float.Gradients();
    if (absl::IsUnimplemented(of_float_rule.status())) continue;
    ASSERT_OK_AND_ASSIGN(const auto known, of_float_rule);
    ASSERT_OK_AND_ASSIGN(const auto ours, of_rounded.Gradients());
    ASSERT_EQ(ours.size(), known.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ASSERT_EQ(ours[i].size(), known[i].size()) << "operand " << i;
      for (std::size_t at = 0; at < ours[i].size(); ++at)
        EXPECT_NEAR(ours[i][at], known[i][at],
                    0x1.01p-8 * std::fabs(known[i][at]))
            << "operand " << i << "[" << at << "]";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, OpGradient,
                         ::testing::ValuesIn(EveryOp([](const OpEntry& entry) {
                           return entry.gradient != nullptr;
                         })),
                         NameOfOp);

}  // namespace
}  // namespace podsim
