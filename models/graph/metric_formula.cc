#include "models/graph/metric_formula.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

absl::Status BadFormula(int node, const char* why) {
  return absl::InvalidArgumentError(
      absl::StrCat("node ", node, " of its formula ", why));
}

double Number(const MetricFormula::Node& node, double examples) {
  if (node.power() == 0) return node.value();
  return node.power() > 0 ? node.value() * examples : node.value() / examples;
}

// NaN where an operand is, as XLA has it.
double Larger(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
}

double Apply(MetricFormula::Op op, const double* x) {
  switch (op) {
    case MetricFormula::ADD:
      return x[0] + x[1];
    case MetricFormula::SUBTRACT:
      return x[0] - x[1];
    case MetricFormula::MULTIPLY:
      return x[0] * x[1];
    case MetricFormula::DIVIDE:
      return x[0] / x[1];
    case MetricFormula::MAXIMUM:
      return Larger(x[0], x[1]);
    case MetricFormula::MINIMUM:
      return -Larger(-x[0], -x[1]);
    case MetricFormula::NEGATE:
      return -x[0];
    case MetricFormula::SQRT:
      return std::sqrt(x[0]);
    case MetricFormula::RSQRT:
      return 1 / std::sqrt(x[0]);
    case MetricFormula::EQUAL:
      return x[0] == x[1] ? 1 : 0;
    case MetricFormula::LESS:
      return x[0] < x[1] ? 1 : 0;
    case MetricFormula::SELECT:
      return x[0] != 0 ? x[1] : x[2];
    default:
      return std::nan("");
  }
}

}  // namespace

int OperandsOf(MetricFormula::Op op) {
  switch (op) {
    case MetricFormula::NUMBER:
      return 0;
    case MetricFormula::NEGATE:
    case MetricFormula::SQRT:
    case MetricFormula::RSQRT:
      return 1;
    case MetricFormula::SELECT:
      return 3;
    case MetricFormula::ADD:
    case MetricFormula::SUBTRACT:
    case MetricFormula::MULTIPLY:
    case MetricFormula::DIVIDE:
    case MetricFormula::MAXIMUM:
    case MetricFormula::MINIMUM:
    case MetricFormula::EQUAL:
    case MetricFormula::LESS:
      return 2;
    default:
      return -1;
  }
}

absl::Status CheckFormula(const MetricFormula& formula) {
  if (formula.nodes().empty() || formula.nodes_size() > kMostFormulaNodes)
    return absl::InvalidArgumentError(
        absl::StrCat("its formula has ", formula.nodes_size(),
                     " nodes; it must have 1 to ", kMostFormulaNodes));
  int known = formula.sums_size();
  for (int i = 0; i < formula.nodes_size(); ++i, ++known) {
    const MetricFormula::Node& node = formula.nodes(i);
    const int operands = OperandsOf(node.op());
    if (operands < 0) return BadFormula(i, "has no op that is known");
    if (node.operands_size() != operands)
      return BadFormula(i, "has not the operands of its op");
    if (std::abs(node.power()) > 1)
      return BadFormula(i, "has a power that is not -1, 0 or 1");
    for (const int operand : node.operands())
      if (operand < 0 || operand >= known)
        return BadFormula(i, "has an operand that is not made before it");
  }
  return absl::OkStatus();
}

absl::Status CheckSums(const MetricFormula& formula,
                       std::set<std::string> there) {
  for (const std::string& name : formula.sums())
    if (there.erase(name) == 0)
      return absl::InvalidArgumentError(
          "its formula names a sum twice, or one that evaluations do not add "
          "up");
  return CheckFormula(formula);
}

double ValueOf(const MetricFormula& formula, std::span<const double> sums,
               double examples) {
  std::vector<double> values(sums.begin(), sums.end());
  for (const MetricFormula::Node& node : formula.nodes()) {
    if (node.op() == MetricFormula::NUMBER) {
      values.push_back(Number(node, examples));
      continue;
    }
    double operands[3] = {};
    for (int i = 0; i < node.operands_size(); ++i)
      operands[i] = values[static_cast<std::size_t>(node.operands(i))];
    values.push_back(Apply(node.op(), operands));
  }
  return values.back();
}

}  // namespace podsim
