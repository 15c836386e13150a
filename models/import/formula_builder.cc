#include "models/import/formula_builder.h"

#include <algorithm>
#include <utility>

#include "models/graph/metric_formula.h"

namespace podsim {
namespace {

constexpr int kMostSums = 64;
// How many nodes there will be is known at the end: until then sums are counted
// from here, nodes from 0.
constexpr int kFirstSum = 1 << 28;

}  // namespace

int FormulaBuilder::Sum(int value) {
  const auto found = std::find(values_.begin(), values_.end(), value);
  const auto index = static_cast<int>(found - values_.begin());
  if (found == values_.end()) {
    if (index == kMostSums) return kNoNumber;
    values_.push_back(value);
  }
  return kFirstSum + index;
}

int FormulaBuilder::Number(double value, int power) {
  MetricFormula::Node& node = *formula_.add_nodes();
  node.set_op(MetricFormula::NUMBER);
  node.set_value(value);
  node.set_power(power);
  return formula_.nodes_size() - 1;
}

int FormulaBuilder::Node(MetricFormula::Op op,
                         const std::vector<int>& operands) {
  if (std::find(operands.begin(), operands.end(), kNoNumber) != operands.end())
    return kNoNumber;
  MetricFormula::Node& node = *formula_.add_nodes();
  node.set_op(op);
  for (const int operand : operands) node.add_operands(operand);
  return formula_.nodes_size() - 1;
}

int FormulaBuilder::Not(int truth) {
  return Node(MetricFormula::SUBTRACT, {Number(1), truth});
}

int FormulaBuilder::Comparison(const std::string& word, int a, int b) {
  if (word == "GT" || word == "GE")
    return Comparison(word == "GT" ? "LT" : "LE", b, a);
  if (word == "LT") return Node(MetricFormula::LESS, {a, b});
  const int equal = Node(MetricFormula::EQUAL, {a, b});
  if (word == "EQ") return equal;
  if (word == "NE") return Not(equal);
  if (word != "LE") return kNoNumber;
  return Node(MetricFormula::MAXIMUM,
              {equal, Node(MetricFormula::LESS, {a, b})});
}

std::optional<MetricFormula> FormulaBuilder::Finish(int result) && {
  if (result == kNoNumber || result + 1 != formula_.nodes_size() ||
      formula_.nodes_size() > kMostFormulaNodes)
    return std::nullopt;
  const auto sums = static_cast<int>(values_.size());
  for (MetricFormula::Node& node : *formula_.mutable_nodes())
    for (int& operand : *node.mutable_operands())
      operand = operand < kFirstSum ? operand + sums : operand - kFirstSum;
  return std::move(formula_);
}

}  // namespace podsim
