// Losses of all examples of an evaluation, as functions of sums over them.
#include "models/import/eval_loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/graph/metric_formula.h"
#include "models/import/barriers.h"
#include "tests/models/import/patterns_fixture.h"

namespace podsim {
namespace {

class EvalLossTest : public PatternsTest {
 protected:
  std::optional<EvalLoss> Of(int loss) {
    builder_.function().parameters = {x_, w_, weights_};
    builder_.function().results = {loss};
    return EvalLossOf(builder_.function(), loss);
  }
  // What it comes to of sums over 8 examples; NaN: there is no formula.
  double Value(int loss, const std::vector<double>& sums) {
    const auto found = Of(loss);
    EXPECT_TRUE(found.has_value());
    if (!found.has_value()) return std::nan("");
    EXPECT_EQ(found->of_each.results.size(), sums.size());
    for (const int place : found->of_each.results) {
      const FlatOp& op = found->of_each.ops[static_cast<std::size_t>(place)];
      EXPECT_EQ(op.type.dtype, DType::kFloat32);
      EXPECT_TRUE(op.type.shape == WithBatch({}) || op.type.shape == Shape{});
    }
    MetricFormula formula = found->formula;
    for (std::size_t i = 0; i < sums.size(); ++i)
      formula.add_sums(std::to_string(i));
    EXPECT_TRUE(CheckFormula(formula).ok()) << CheckFormula(formula);
    return ValueOf(formula, sums, 8);
  }
  int Sum(int value, std::vector<std::int64_t> dimensions = {0}) {
    OpAttributes attributes;
    attributes.word = "add";
    attributes.lists["dimensions"] = std::move(dimensions);
    return Emit("reduce", {value}, std::move(attributes));
  }
  int Compare(const char* word, int a, int b) {
    OpAttributes attributes;
    attributes.word = word;
    return Emit("compare", {a, b}, std::move(attributes));
  }
  int To(DType dtype, int value) {
    OpAttributes to;
    to.dtype = dtype;
    return Emit("convert", {value}, std::move(to));
  }
  int Repeated(int value, const Shape& shape) {
    OpAttributes attributes;
    attributes.shape = shape;
    attributes.lists["broadcast_dimensions"] = {};
    return Emit("broadcast_in_dim", {value}, std::move(attributes));
  }
  int OneOverB() {
    FlatOp op{.entry = FindOp("constant"), .type = {DType::kFloat32, {}}};
    op.attributes.value = 1;
    op.attributes.lists["batch_power"] = {-1};
    return builder_.Opaque(op);
  }

  const int weights_ = builder_.Parameter(Batched({}));
  const int made_ = Dot(x_, 1, w_, 0);  // [B, 4]
  const int losses_ = Sum(Emit("multiply", {made_, made_}), {1});
  const int weighted_ = Emit("multiply", {losses_, weights_});
};

TEST_F(EvalLossTest, AWeightedMeanIsARatioOfSums) {
  EXPECT_EQ(Value(Emit("divide", {Sum(weighted_), Sum(weights_)}), {6, 4}),
            1.5);
}

TEST_F(EvalLossTest, ADenominatorHasItsLeastValue) {
  const int least = Emit("maximum", {Sum(weights_), Number(1, {})});
  const int loss = Emit("divide", {Sum(weighted_), least});
  EXPECT_EQ(Value(loss, {6, 4}), 1.5);
  EXPECT_EQ(Value(loss, {6, 0.5}), 6);
  EXPECT_EQ(Value(loss, {0, 0}), 0);
}

TEST_F(EvalLossTest, WhatASumDecidesIsDecidedOnce) {
  const int count = Sum(weights_);
  const int none = Number(0, {});
  const int ratio = Emit("divide", {Sum(weighted_), count});
  for (const char* word : {"GT", "NE"}) {
    const int loss =
        Emit("select", {Compare(word, count, none), ratio, Number(7, {})});
    EXPECT_EQ(Value(loss, {4, 6}), 1.5) << word;
    EXPECT_EQ(Value(loss, {0, 0}), 7) << word;
  }
}

// lax.cond asks by a whole number, which it makes of the truth.
TEST_F(EvalLossTest, AConditionIsDecidedOnce) {
  const int count = Sum(weights_);
  const int is_any = To(DType::kInt32, Compare("GT", count, Number(0, {})));
  const int is_none = Compare("EQ", To(DType::kFloat32, is_any), Number(0, {}));
  const int ratio = Emit("divide", {Sum(weighted_), count});
  const int loss = Emit("select", {is_none, Number(7, {}), ratio});
  EXPECT_EQ(Value(loss, {4, 6}), 1.5);
  EXPECT_EQ(Value(loss, {0, 0}), 7);
}

TEST_F(EvalLossTest, CountsOfWholeNumbersAreSums) {
  const int count = Sum(To(DType::kInt32, weights_));
  const int least =
      Emit("maximum", {count, builder_.Constant({DType::kInt32, {}}, {1})});
  EXPECT_EQ(Value(Emit("divide", {Sum(weighted_), To(DType::kFloat32, least)}),
                  {6, 4}),
            1.5);
}

TEST_F(EvalLossTest, WeightsThatAreNormalizedFirstAreTheSame) {
  const Shape shape = builder_.type(weights_).shape;
  const int shares = Emit("divide", {weights_, Repeated(Sum(weights_), shape)});
  EXPECT_EQ(Value(Sum(Emit("multiply", {shares, losses_})), {6, 4}), 1.5);
}

TEST_F(EvalLossTest, BarriersChangeNothing) {
  const Shape shape = builder_.type(weights_).shape;
  const int count = Emit(kBarrier, {Sum(weights_)});
  const int shares = Emit("divide", {weights_, Repeated(count, shape)});
  const int behind = Emit(kBarrier, {shares});
  EXPECT_EQ(Value(Sum(Emit("multiply", {behind, losses_})), {6, 4}), 1.5);
}

TEST_F(EvalLossTest, ElementsOfAnExampleAreSummedFirst) {
  const int tokens = Emit("multiply", {made_, made_});
  const int loss = Emit("divide", {Sum(tokens, {0, 1}), Sum(weights_)});
  EXPECT_EQ(Value(loss, {6, 4}), 1.5);
}

TEST_F(EvalLossTest, AProductOfTwoVectorsIsASum) {
  EXPECT_EQ(Value(Emit("divide", {Dot(losses_, 0, weights_, 0), Sum(weights_)}),
                  {6, 4}),
            1.5);
}

// 6 / 4 + the mean of 16 of 8 examples + a decay, which each example has.
TEST_F(EvalLossTest, MeansAndWhatFollowsFromNoExampleAreAdded) {
  const int ratio = Emit("divide", {Sum(weighted_), Sum(weights_)});
  const int mean = Emit("multiply", {Sum(losses_), OneOverB()});
  const int decay = Sum(Emit("multiply", {w_, w_}), {0, 1});
  EXPECT_EQ(Value(Emit("add", {Emit("add", {ratio, mean}), decay}),
                  {6, 4, 16, 8 * 0.25}),
            1.5 + 2 + 0.25);
}

TEST_F(EvalLossTest, WhatIsNoFunctionOfSumsHasNoFormula) {
  const Shape shape = builder_.type(weights_).shape;
  OpAttributes largest;
  largest.word = "maximum";
  largest.lists["dimensions"] = {0};
  const int most = Emit("reduce", {losses_}, largest);
  const int centred =
      Emit("subtract",
           {weights_,
            Repeated(Emit("multiply", {Sum(weights_), OneOverB()}), shape)});
  for (const int loss :
       {Emit("divide", {most, Sum(weights_)}),
        Emit("divide",
             {Sum(weighted_), Sum(Emit("multiply", {centred, centred}))}),
        Emit("multiply", {Sum(weighted_), Emit("log", {Sum(weights_)})})})
    EXPECT_FALSE(Of(loss).has_value()) << loss;
}

// Each is the sum of the one before with itself: 2^40 ways down.
TEST_F(EvalLossTest, AValueThatIsToldInManyWaysIsGivenUp) {
  const Shape shape = builder_.type(weights_).shape;
  int value = Emit("multiply", {weights_, Repeated(Sum(weights_), shape)});
  for (int i = 0; i < 40; ++i) value = Emit("add", {value, value});
  EXPECT_FALSE(Of(Sum(value)).has_value());
}

}  // namespace
}  // namespace podsim
