// Which losses couple the examples of a core, and what undoes it.
#include "models/import/coupling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "models/import/barriers.h"
#include "models/import/pod_means.h"
#include "tests/models/import/patterns_fixture.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CouplingTest : public PatternsTest {
 protected:
  Coupling Of(int loss) {
    builder_.function().results = {loss};
    return CouplingOf(
        builder_.function(),
        {.loss = loss, .examples = {x_, weights_}, .variables = {w_}});
  }
  int Sum(int value, std::vector<std::int64_t> dimensions = {0}) {
    OpAttributes attributes;
    attributes.word = "add";
    attributes.lists["dimensions"] = std::move(dimensions);
    return Emit("reduce", {value}, std::move(attributes));
  }
  int Largest(int value) {
    OpAttributes attributes;
    attributes.word = "maximum";
    attributes.lists["dimensions"] = {0};
    return Emit("reduce", {value}, std::move(attributes));
  }
  int OneOverB() {
    FlatOp op{.entry = FindOp("constant"), .type = {DType::kFloat32, {}}};
    op.attributes.value = 1;
    op.attributes.lists["batch_power"] = {-1};
    return builder_.Opaque(op);
  }
  // [F] or [] over the examples.
  int Spread(int value, const Shape& shape) {
    OpAttributes attributes;
    attributes.shape = shape;
    if (builder_.type(value).shape.rank() == 1)
      attributes.lists["broadcast_dimensions"] = {1};
    else
      attributes.lists["broadcast_dimensions"] = {};
    return Emit("broadcast_in_dim", {value}, std::move(attributes));
  }
  std::vector<std::string> Ops(const FlatFunction& function) {
    std::vector<std::string> names;
    for (const FlatOp& op : function.ops)
      if (op.entry != nullptr) names.emplace_back(op.entry->name);
    return names;
  }

  const int weights_ = builder_.Parameter(Batched({}));
  // [B, 4] of the variable, and a loss [B] of it.
  const int made_ = Dot(x_, 1, w_, 0);
  const int losses_ = Sum(Emit("multiply", {made_, made_}), {1});
};

TEST_F(CouplingTest, MeansAndWhatIsLinearInThemCoupleNothing) {
  const int mean = Emit("multiply", {Sum(losses_), OneOverB()});
  const int decay = Sum(Sum(Emit("multiply", {w_, w_})));
  const Coupling found = Of(Emit("add", {mean, decay}));
  EXPECT_EQ(found.op, -1);
  EXPECT_THAT(found.to_reduce, IsEmpty());
}

TEST_F(CouplingTest, AWeightedMeansDenominatorIsReducedOverThePod) {
  const int weighted = Sum(Emit("multiply", {losses_, weights_}));
  const int count = Sum(weights_);
  const int loss = Emit("divide", {weighted, count});
  const Coupling found = Of(loss);
  EXPECT_EQ(found.op, -1);
  EXPECT_THAT(found.to_reduce, ::testing::ElementsAre(count));
  const auto reduced = WithPodMeans(builder_.function(), found.to_reduce);
  ASSERT_TRUE(reduced.ok()) << reduced.status();
  EXPECT_THAT(Ops(*reduced), ::testing::Contains("all_reduce").Times(1));
}

TEST_F(CouplingTest, ASumIsSeenBehindABarrier) {
  const int weighted = Sum(Emit("multiply", {losses_, weights_}));
  const int count = Sum(weights_);
  const Coupling found =
      Of(Emit("divide", {weighted, Emit(kBarrier, {count})}));
  EXPECT_EQ(found.op, -1);
  EXPECT_THAT(found.to_reduce, ::testing::ElementsAre(count));
}

// max(sum(w), 1) / n of n cores is max(sum(w) / n, 1 / n).
TEST_F(CouplingTest, ANumberBesideASumIsOfAllCores) {
  const int count = Sum(weights_);
  const int least = Emit("maximum", {count, Number(1, {})});
  const int loss =
      Emit("divide", {Sum(Emit("multiply", {losses_, weights_})), least});
  const Coupling found = Of(loss);
  EXPECT_EQ(found.op, -1);
  const auto reduced = WithPodMeans(builder_.function(), found.to_reduce);
  ASSERT_TRUE(reduced.ok()) << reduced.status();
  for (const FlatOp& op : reduced->ops) {
    if (op.Is("maximum")) {
      EXPECT_FALSE(reduced->ops[static_cast<std::size_t>(op.operands[1])].Is(
          "constant"));
    }
  }
}

TEST_F(CouplingTest, CountsOfWholeNumbersAreReducedToo) {
  OpAttributes whole;
  whole.dtype = DType::kInt32;
  const int count = Sum(Emit("convert", {weights_}, whole));
  const int least =
      Emit("maximum", {count, builder_.Constant({DType::kInt32, {}}, {1})});
  OpAttributes real;
  real.dtype = DType::kFloat32;
  const int loss =
      Emit("divide", {Sum(losses_), Emit("convert", {least}, real)});
  const Coupling found = Of(loss);
  EXPECT_EQ(found.op, -1);
  EXPECT_TRUE(WithPodMeans(builder_.function(), found.to_reduce).ok());
}

TEST_F(CouplingTest, WhatFollowsFromVariablesIsSaid) {
  const int shares = Sum(made_);
  const int balance = Emit("multiply", {shares, shares});
  builder_.SetPlace("", "");
  const Coupling found = Of(Sum(balance));
  EXPECT_EQ(found.op, balance);
  EXPECT_FALSE(found.is_divided);
  EXPECT_THAT(CouplingText(builder_.function(), found),
              HasSubstr("on one device JAX takes all G together"));
}

TEST_F(CouplingTest, WeightsThatFollowFromVariablesAreSaid) {
  const int loss = Emit("divide", {Sum(losses_), Sum(Sum(made_, {1}))});
  const Coupling found = Of(loss);
  EXPECT_EQ(found.op, loss);
  EXPECT_TRUE(found.is_divided);
  EXPECT_THAT(found.to_reduce, IsEmpty());
  EXPECT_THAT(CouplingText(builder_.function(), found),
              HasSubstr("NaN on a core where it is 0"));
}

TEST_F(CouplingTest, AnExtremeOfTheExamplesIsSaid) {
  const int loss = Largest(losses_);
  EXPECT_EQ(Of(loss).op, loss);
}

// where(sum(w) > 0, sum(l w) / sum(w), 0) and its gradient, where(sum(w) > 0,
// 1, 0): the 1 is no number beside a sum.
TEST_F(CouplingTest, WhatASumDecidesIsNotScaled) {
  const int count = Sum(weights_);
  OpAttributes greater;
  greater.word = "GT";
  const int is_any = Emit("compare", {count, Number(0.5F, {})}, greater);
  const int one = Emit("select", {is_any, Number(1, {}), Number(0, {})});
  const int ratio =
      Emit("divide", {Sum(Emit("multiply", {losses_, weights_})), count});
  const Coupling found = Of(Emit("multiply", {ratio, one}));
  EXPECT_EQ(found.op, -1);
  const auto reduced = WithPodMeans(builder_.function(), found.to_reduce);
  ASSERT_TRUE(reduced.ok()) << reduced.status();
  for (const FlatOp& op : reduced->ops) {
    const auto is_number = [&](std::size_t i) {
      return reduced->ops[static_cast<std::size_t>(op.operands[i])].Is(
          "constant");
    };
    if (op.Is("compare")) {
      EXPECT_FALSE(is_number(1));
    }
    if (op.Is("select")) {
      EXPECT_TRUE(is_number(1) && is_number(2));
    }
  }
}

// Means of the pod in the place of its sums would be another loss.
TEST_F(CouplingTest, WhatDoesNotScaleWithTheExamplesIsSaid) {
  const int sum = Sum(Emit("multiply", {losses_, weights_}));
  const int count = Sum(weights_);
  const int squares = Sum(Emit("multiply", {weights_, weights_}));
  for (const int loss :
       {Emit("divide", {sum, Emit("sqrt", {count})}),
        Emit("multiply",
             {Emit("divide", {sum, count}), Emit("log_plus_one", {count})}),
        Emit("divide", {sum, Emit("power", {count, Number(0.5F, {})})}),
        Emit("divide", {Emit("multiply", {sum, count}), squares}),
        Emit("divide", {sum, Emit("add", {Emit("multiply", {count, count}),
                                          squares})})}) {
    const Coupling found = Of(loss);
    EXPECT_GE(found.op, 0) << loss;
    EXPECT_THAT(found.to_reduce, IsEmpty()) << loss;
  }
}

// As jnp.mean(a - a.mean()) / a.std() of advantages.
TEST_F(CouplingTest, NumbersThatAreNormalizedAreReducedOverThePod) {
  const Shape of_examples = builder_.type(weights_).shape;
  const int mean = Emit("multiply", {Sum(weights_), OneOverB()});
  const int centred = Emit("subtract", {weights_, Spread(mean, of_examples)});
  const int variance =
      Emit("multiply", {Sum(Emit("multiply", {centred, centred})), OneOverB()});
  const int scaled = Emit(
      "multiply", {centred, Spread(Emit("rsqrt", {variance}), of_examples)});
  const int sum = Sum(Emit("multiply", {scaled, losses_}));
  const Coupling found = Of(Emit("multiply", {sum, OneOverB()}));
  EXPECT_EQ(found.op, -1);
  EXPECT_EQ(found.to_reduce.size(), 2U);
  // Of n cores each has an nth of this one.
  EXPECT_GE(Of(sum).op, 0);
}

TEST_F(CouplingTest, ABatchNormsStatisticsArePassedOver) {
  const Shape shape = builder_.type(made_).shape;
  const int square = Emit("multiply", {made_, made_});
  const int variance = Emit("rsqrt", {Sum(square)});
  const int norm = Emit("multiply", {made_, Spread(variance, shape)});
  const Coupling found = Of(Sum(Sum(Emit("multiply", {norm, norm}), {1})));
  EXPECT_EQ(found.op, -1);
  EXPECT_THAT(found.to_reduce, IsEmpty());
}

// The same of the data themselves is said, as no layer's name says it.
TEST_F(CouplingTest, DataNormalizedByFeatureAreSaid) {
  const int variance = Emit("rsqrt", {Sum(Emit("multiply", {x_, x_}))});
  const int norm =
      Emit("multiply", {x_, Spread(variance, builder_.type(x_).shape)});
  const Coupling found = Of(Sum(Emit("multiply", {losses_, Sum(norm, {1})})));
  EXPECT_GE(found.op, 0);
  EXPECT_THAT(found.to_reduce, IsEmpty());
}

}  // namespace
}  // namespace podsim
