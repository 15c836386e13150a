#include "tests/models/graph/bounded_machine.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/status.h"
#include "models/ops/op_table.h"
#include "tests/models/rules/rule_oracle.h"

namespace podsim::testing {
namespace {

// What a vectorised exponential or logarithm may err by, in units; good ones
// stay below 2.
constexpr double kExpUnits = 8;

double Gamma(double n) { return n * kUnit / (1 - n * kUnit); }

Bounded Plus(const Bounded& a, const Bounded& b) { return a + b; }

Bounded Times(const Bounded& a, const Bounded& b) { return a * b; }

Bounded Round(const Bounded& x) {
  const double value = RoundToBFloat16(x.value);
  return {value, std::max(RoundToBFloat16(x.value + x.bound) - value,
                          value - RoundToBFloat16(x.value - x.bound))};
}

// dx = y > 0 ? dy : 0, where y's sign may be in doubt.
Bounded ReluGradOf(const Bounded& dy, const Bounded& y) {
  const Bounded taken = y.value > 0 ? dy : Bounded{};
  const bool certain = y.bound == 0 || y.value > y.bound;
  return {taken.value, certain ? taken.bound : Size(dy)};
}

}  // namespace

double RoundToBFloat16(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  constexpr int kBits = 8;  // with the hidden one
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  const double rounded =
      std::ldexp(std::nearbyint(std::ldexp(mantissa, kBits)), exponent - kBits);
  return std::fabs(rounded) < std::numeric_limits<float>::min() ? 0 : rounded;
}

BoundedMachine::BoundedMachine(const Program& program, std::int64_t rows)
    : program_(program), rows_(rows), tensors_(program.tensors.size()) {
  for (std::size_t id = 0; id < tensors_.size(); ++id) {
    const ProgramTensor& tensor = program.tensors[id];
    tensors_[id].resize(static_cast<std::size_t>(
        tensor.shape.elements() * (tensor.batched() ? rows : 1)));
  }
}

void BoundedMachine::Set(TensorId id, const std::vector<double>& values) {
  Values& tensor = tensors_[static_cast<std::size_t>(id)];
  PODSIM_CHECK(tensor.size() == values.size());
  for (std::size_t i = 0; i < values.size(); ++i) tensor[i] = {values[i], 0};
}

void BoundedMachine::Run(EntryPoint entry) {
  for (const Segment& segment : program_.entries.at(entry))
    for (const Instruction& instruction : segment.instructions)
      Execute(instruction);
}

BoundedMachine::Values BoundedMachine::Input(const Instruction& instruction,
                                             std::size_t i) const {
  const TensorId id = instruction.inputs[i];
  Values values = Get(id);
  if (instruction.attributes.rounded_operands &&
      program_.tensor(id).storage == Storage::kVariable)
    for (Bounded& value : values) value = Round(value);
  return values;
}

BoundedMachine::Values& BoundedMachine::Output(const Instruction& instruction,
                                               std::size_t i) {
  return tensors_[static_cast<std::size_t>(instruction.outputs[i])];
}

BoundedMachine::Matrix BoundedMachine::ViewOf(TensorId id) const {
  const ProgramTensor& tensor = program_.tensor(id);
  if (tensor.batched()) return {rows_, tensor.shape.elements()};
  const std::int64_t columns = tensor.shape.dims.back();
  return {tensor.shape.elements() / columns, columns};
}

// All three products as C[M,N] = sum over K of a(m,k) * b(k,n), with the
// strides that each gives to a and b.
void BoundedMachine::Product(const Instruction& instruction) {
  const Values a = Input(instruction, 0);
  const Values b = Input(instruction, 1);
  const Matrix va = ViewOf(instruction.inputs[0]);
  const Matrix vb = ViewOf(instruction.inputs[1]);
  const ProductForm form = EntryOf(instruction.op).product;
  const bool transpose_a = form == ProductForm::kLeftTransposed;
  const bool transpose_b = form == ProductForm::kRightTransposed;
  const std::int64_t m = transpose_a ? va.columns : va.rows;
  const std::int64_t k = transpose_a ? va.rows : va.columns;
  const std::int64_t n = transpose_b ? vb.rows : vb.columns;
  PODSIM_CHECK(k == (transpose_b ? vb.columns : vb.rows));
  Values& c = Output(instruction, 0);
  for (std::int64_t row = 0; row < m; ++row)
    for (std::int64_t column = 0; column < n; ++column) {
      Bounded sum;
      double magnitude = 0;
      for (std::int64_t i = 0; i < k; ++i) {
        const Bounded& x = a[static_cast<std::size_t>(
            transpose_a ? i * va.columns + row : row * va.columns + i)];
        const Bounded& y = b[static_cast<std::size_t>(
            transpose_b ? column * vb.columns + i : i * vb.columns + column)];
        sum.value += x.value * y.value;
        sum.bound += std::fabs(x.value) * y.bound +
                     std::fabs(y.value) * x.bound + x.bound * y.bound;
        magnitude += Size(x) * Size(y);
      }
      sum.bound += Gamma(static_cast<double>(k)) * magnitude + kTiny;
      c[static_cast<std::size_t>(row * n + column)] = sum;
    }
}

void BoundedMachine::AddBias(const Instruction& instruction) {
  const Values x = Input(instruction, 0);
  const Values bias = Input(instruction, 1);
  Values& y = Output(instruction, 0);
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = Plus(x[i], bias[i % bias.size()]);
}

void BoundedMachine::BiasGrad(const Instruction& instruction) {
  const Values dy = Input(instruction, 0);
  Values& sums = Output(instruction, 0);
  const double gamma =
      Gamma(static_cast<double>(ViewOf(instruction.inputs[0]).rows));
  std::fill(sums.begin(), sums.end(), Bounded{});
  for (std::size_t i = 0; i < dy.size(); ++i) {
    Bounded& sum = sums[i % sums.size()];
    sum.value += dy[i].value;
    sum.bound += dy[i].bound + gamma * Size(dy[i]);
  }
}

// With logits known to E: a probability is known to a factor exp(2 E), the loss
// (logsumexp minus one logit) to 2 E. On top come the roundings of x - max (R
// units, R the range of the logits), of the exponentials, of their sum (N
// units) and of the quotient or the logarithm.
void BoundedMachine::SoftmaxXent(const Instruction& instruction) {
  const Values logits = Input(instruction, 0);
  const auto n = static_cast<std::size_t>(
      program_.tensor(instruction.inputs[0]).shape.elements());
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows_); ++row) {
    const Bounded* x = logits.data() + row * n;
    const auto label = static_cast<std::size_t>(labels_[row]);
    PODSIM_CHECK(label < n);
    double max = x[0].value;
    double min = x[0].value;
    double error = 0;
    double rival = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
      max = std::max(max, x[i].value);
      min = std::min(min, x[i].value);
      error = std::max(error, x[i].bound);
      if (i != label) rival = std::max(rival, x[i].value);
    }
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::exp(x[i].value - max);
    const double units =
        2 * (max - min) + static_cast<double>(n) + 3 * kExpUnits;
    for (std::size_t i = 0; i < n; ++i) {
      const double prob = std::exp(x[i].value - max) / sum;
      Output(instruction, 0)[row * n + i] = {
          prob, prob * (std::expm1(2 * error) + units * kUnit) + kTiny};
    }
    const double log_sum = std::log(sum);
    const double gap = max - x[label].value;
    Output(instruction, 1)[row] = {
        log_sum + gap,
        2 * error + kUnit * (units + kExpUnits * (log_sum + gap) +
                             2 * std::max(std::fabs(max), std::fabs(min)))};
    const double lead = x[label].value - rival;
    Output(instruction, 2)[row] = {lead > 0 ? 1.0 : 0.0,
                                   std::fabs(lead) > 2 * error ? 0.0 : 1.0};
  }
}

void BoundedMachine::SoftmaxXentGrad(const Instruction& instruction) {
  const Values prob = Input(instruction, 0);
  const Values weight = Input(instruction, 2);
  Values& dlogits = Output(instruction, 0);
  const std::size_t n = prob.size() / static_cast<std::size_t>(rows_);
  for (std::size_t i = 0; i < prob.size(); ++i) {
    const bool hot = static_cast<std::int32_t>(i % n) == labels_[i / n];
    dlogits[i] = Times(hot ? Plus(prob[i], {-1, 0}) : prob[i], weight[i / n]);
  }
}

// Where it is in doubt whether the norm is too large, either may come out.
void BoundedMachine::Clip(const Instruction& instruction) {
  Values all;
  for (std::size_t i = 0; i < instruction.inputs.size(); ++i) {
    const Values each = Input(instruction, i);
    all.insert(all.end(), each.begin(), each.end());
  }
  const Bounded norm = NormOf(all);
  const Bounded limit{program_.clip_norm, 0};
  if (norm.value + norm.bound < limit.value) return;
  const bool certain = norm.value - norm.bound >= limit.value;
  for (std::size_t i = 0; i < instruction.outputs.size(); ++i)
    for (Bounded& g : Output(instruction, i)) {
      const Bounded scaled = g / norm * limit;
      const double doubt = certain ? 0 : std::fabs(scaled.value - g.value);
      g = {scaled.value, scaled.bound + doubt + (certain ? 0 : g.bound)};
    }
}

void BoundedMachine::Update(const Instruction& instruction) {
  const OpAttributes& attributes = instruction.attributes;
  const UpdateRule& rule =
      UpdateRules()[static_cast<std::size_t>(attributes.rule)];
  const auto slots = static_cast<std::size_t>(rule.info.slot_count);
  OracleVariable variable{.weights = Output(instruction, slots), .slots = {}};
  for (std::size_t i = 0; i < kMostSlots; ++i)
    variable.slots[i] =
        i < slots ? Output(instruction, i) : Values(variable.weights.size());
  OracleUpdate(attributes.rule, attributes.decays, attributes.trusts,
               ScalarsOf(rule, program_.rule_settings, moment_),
               program_.rule_settings.trust_coefficient, Input(instruction, 0),
               variable);
  Output(instruction, slots) = variable.weights;
  for (std::size_t i = 0; i < slots; ++i)
    Output(instruction, i) = variable.slots[i];
}

// As the op table says. Operands at either end of their bounds, each alone: for
// functions that are monotone in between, and to first order.
void BoundedMachine::Scalar(const Instruction& instruction) {
  const ScalarFunction& function = EntryOf(instruction.op).scalar;
  PODSIM_CHECK(function.value != nullptr);  // the machine knows no other
  std::vector<Values> operands;
  for (std::size_t i = 0; i < instruction.inputs.size(); ++i)
    operands.push_back(Input(instruction, i));
  Values& out = Output(instruction, 0);
  std::vector<double> x(operands.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = operands[j][i].value;
    const double value = function.value(x.data());
    double bound = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const Bounded& operand = operands[j][i];
      double most = 0;
      for (const double end : {-operand.bound, operand.bound}) {
        x[j] = operand.value + end;
        most = std::max(most, std::fabs(function.value(x.data()) - value));
      }
      x[j] = operand.value;
      bound += most;
    }
    out[i] = {value,
              bound +
                  function.error_units * kUnit * (std::fabs(value) + bound) +
                  kTiny};
  }
}

void BoundedMachine::Execute(const Instruction& instruction) {
  const auto each = [&](auto fn) {
    const Values a = Input(instruction, 0);
    Values& out = Output(instruction, 0);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = fn(a[i], i);
  };
  const OpCode op = instruction.op;
  if (op == OpCode::kConstant) {
    Values& out = Output(instruction, 0);
    std::fill(out.begin(), out.end(), Bounded{instruction.attributes.value, 0});
    return;
  }
  if (EntryOf(op).is_product()) return Product(instruction);
  if (op == OpCode::kAddBias) return AddBias(instruction);
  if (op == OpCode::kBiasGrad) return BiasGrad(instruction);
  if (op == OpCode::kSoftmaxXent) return SoftmaxXent(instruction);
  if (op == OpCode::kSoftmaxXentGrad) return SoftmaxXentGrad(instruction);
  if (op == OpCode::kClip) return Clip(instruction);
  if (op == OpCode::kUpdate) return Update(instruction);
  if (op == OpCode::kRelu)
    return each([](const Bounded& x, std::size_t) {
      return Bounded{std::max(x.value, 0.0), x.value < -x.bound ? 0 : x.bound};
    });
  if (op == OpCode::kReshape)
    return each([](const Bounded& x, std::size_t) { return x; });
  if (op == OpCode::kRoundBFloat16)
    return each([](const Bounded& x, std::size_t) { return Round(x); });
  if (op == OpCode::kAdd) {
    const Values b = Input(instruction, 1);
    return each([&](const Bounded& x, std::size_t i) { return Plus(x, b[i]); });
  }
  if (op == OpCode::kReluGrad) {
    const Values y = Input(instruction, 1);
    return each(
        [&](const Bounded& dy, std::size_t i) { return ReluGradOf(dy, y[i]); });
  }
  Scalar(instruction);
}

}  // namespace podsim::testing
