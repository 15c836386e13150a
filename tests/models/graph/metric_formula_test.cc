// Formulas of sums over an evaluation: values by hand, and what is refused.
#include "models/graph/metric_formula.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::testing::HasSubstr;

MetricFormula::Node& Add(MetricFormula::Op op, std::vector<int> operands,
                         MetricFormula& formula) {
  MetricFormula::Node& node = *formula.add_nodes();
  node.set_op(op);
  for (const int operand : operands) node.add_operands(operand);
  return node;
}

// Of two or three sums.
double Of(MetricFormula::Op op, const std::vector<double>& sums) {
  MetricFormula formula;
  std::vector<int> operands;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    formula.add_sums(std::to_string(i));
    operands.push_back(static_cast<int>(i));
  }
  Add(op, operands, formula);
  EXPECT_THAT(CheckFormula(formula), IsOk());
  return ValueOf(formula, sums, 8);
}

TEST(MetricFormulaTest, ComputesAsItsOpsSay) {
  EXPECT_EQ(Of(MetricFormula::ADD, {3, 4}), 7);
  EXPECT_EQ(Of(MetricFormula::SUBTRACT, {3, 4}), -1);
  EXPECT_EQ(Of(MetricFormula::MULTIPLY, {3, 4}), 12);
  EXPECT_EQ(Of(MetricFormula::DIVIDE, {3, 4}), 0.75);
  EXPECT_EQ(Of(MetricFormula::MAXIMUM, {3, 4}), 4);
  EXPECT_EQ(Of(MetricFormula::MINIMUM, {3, 4}), 3);
  EXPECT_EQ(Of(MetricFormula::NEGATE, {3}), -3);
  EXPECT_EQ(Of(MetricFormula::SQRT, {9}), 3);
  EXPECT_EQ(Of(MetricFormula::RSQRT, {4}), 0.5);
  EXPECT_EQ(Of(MetricFormula::EQUAL, {3, 3}), 1);
  EXPECT_EQ(Of(MetricFormula::LESS, {3, 3}), 0);
  EXPECT_EQ(Of(MetricFormula::SELECT, {1, 5, 6}), 5);
  EXPECT_EQ(Of(MetricFormula::SELECT, {0, 5, 6}), 6);
}

TEST(MetricFormulaTest, ANumberThatIsNoneStaysNone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto op : {MetricFormula::MAXIMUM, MetricFormula::MINIMUM}) {
    EXPECT_TRUE(std::isnan(Of(op, {nan, 1})));
    EXPECT_TRUE(std::isnan(Of(op, {1, nan})));
  }
  EXPECT_EQ(Of(MetricFormula::SELECT, {0, nan, 6}), 6);
}

TEST(MetricFormulaTest, NumbersFollowTheExamples) {
  for (const int power : {-1, 0, 1}) {
    MetricFormula formula;
    auto& node = Add(MetricFormula::NUMBER, {}, formula);
    node.set_value(3);
    node.set_power(power);
    EXPECT_EQ(ValueOf(formula, {}, 8), 3 * std::pow(8, power));
  }
}

void ExpectBad(const MetricFormula& formula, const std::string& why) {
  EXPECT_THAT(std::string(CheckFormula(formula).message()), HasSubstr(why));
}

TEST(MetricFormulaTest, RefusesWhatCannotBeEvaluated) {
  MetricFormula formula;
  ExpectBad(formula, "0 nodes");
  formula.add_sums("a");
  MetricFormula::Node& node = Add(MetricFormula::ADD, {0, 0}, formula);
  EXPECT_THAT(CheckFormula(formula), IsOk());
  node.set_operands(1, 1);
  ExpectBad(formula, "not made before it");
  node.set_operands(1, -1);
  ExpectBad(formula, "not made before it");
  node.mutable_operands()->RemoveLast();
  ExpectBad(formula, "not the operands of its op");
  node.set_op(MetricFormula::UNKNOWN);
  ExpectBad(formula, "no op that is known");
  node.set_op(MetricFormula::NEGATE);
  node.set_power(2);
  ExpectBad(formula, "a power");
}

TEST(MetricFormulaTest, ItsSumsAreMetricsOfEvaluationsAlone) {
  MetricFormula formula;
  Add(MetricFormula::NUMBER, {}, formula);
  formula.add_sums("a");
  EXPECT_THAT(CheckSums(formula, {"a", "b"}), IsOk());
  EXPECT_FALSE(CheckSums(formula, {"b"}).ok());
  formula.add_sums("a");
  EXPECT_FALSE(CheckSums(formula, {"a", "b"}).ok());
}

}  // namespace
}  // namespace podsim
