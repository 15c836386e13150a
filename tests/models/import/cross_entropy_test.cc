// Softmax and cross-entropy are read as one op, and mean what they meant, also
// where a label is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "models/import/barriers.h"
#include "models/import/simplify.h"
#include "models/ops/reference.h"
#include "tests/models/import/patterns_fixture.h"

namespace podsim {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::NanSensitiveDoubleNear;
using ::testing::Not;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// log_softmax and what is taken of it, by the rows' own places.
class CrossEntropyTest : public PatternsTest {
 protected:
  int Folded(const char* word, int from) {
    OpAttributes attributes;
    attributes.word = word;
    attributes.lists["dimensions"] = {1};
    return Emit("reduce", {from}, std::move(attributes));
  }
  int InRows(int from) {
    OpAttributes attributes;
    attributes.shape = builder_.type(x_).shape;
    attributes.lists["broadcast_dimensions"] = {0};
    return Emit("broadcast_in_dim", {from}, std::move(attributes));
  }
  int Exponentials(int x) { return Emit("exponential", {Centred(x)}); }
  int Centred(int x) {
    return Emit("subtract", {x, InRows(Folded("maximum", x))});
  }
  OpAttributes OwnPlaces(const char* dropped, const char* operand_batch,
                         const char* index_batch, const char* map) {
    OpAttributes attributes;
    attributes.lists[dropped] = {1};
    attributes.lists[operand_batch] = {0};
    attributes.lists[index_batch] = {0};
    attributes.lists[map] = {1};
    attributes.lists["index_vector_dim"] = {1};
    return attributes;
  }
  int Taken(int from) {
    OpAttributes attributes =
        OwnPlaces("collapsed_slice_dims", "operand_batching_dims",
                  "start_indices_batching_dims", "start_index_map");
    attributes.lists["slice_sizes"] = {1, 1};
    return Emit("gather", {from, label_}, std::move(attributes));
  }
  int LogLikelihoodOf(int x, int others) {
    const int log = Emit("log", {Folded("add", Exponentials(others))});
    return Taken(Emit("subtract", {Centred(x), InRows(log)}));
  }

  // log(sum(exp(x))) - x[label]; where that is no label, less `otherwise`.
  int CrossEntropyOf(int x, double otherwise, bool is_masked) {
    const int log = Emit("log", {Folded("add", Exponentials(x))});
    const int sum = Emit("add", {log, Folded("maximum", x)});
    const Shape& rows = builder_.type(sum).shape;
    int taken = Taken(x);
    if (is_masked) {
      const int none = Number(otherwise, rows);
      taken = Emit("select", {IsLabel(), taken, none});
    }
    return Emit("subtract", {sum, taken});
  }
  int IsLabel() {
    OpAttributes row;
    row.shape = {{1}, 0};
    const int label = Emit("Reshape", {label_}, row);
    const ValueType type = builder_.type(label);
    const auto compared = [&](const char* word, double bound) {
      return Emit("compare", {label, builder_.Constant(type, {bound})},
                  {.word = word});
    };
    return Emit("and", {compared("GE", 0), compared("LE", 5)});
  }
  int Scattered(double number) {
    OpAttributes adding = OwnPlaces(
        "inserted_window_dims", "input_batching_dims",
        "scatter_indices_batching_dims", "scatter_dims_to_operand_dims");
    adding.word = "add";
    return Emit(
        "scatter",
        {Number(0, builder_.type(x_).shape), label_, Number(number, {{1}, 0})},
        adding);
  }
  // What `numerator` makes of softmax, and what is scattered to the labels.
  int GradientBy(int numerator, int scattered) {
    const int sum = Folded("add", Exponentials(x_));
    const int share = Emit("divide", {numerator, sum});
    return Emit("add", {scattered,
                        Emit("multiply", {InRows(share), Exponentials(x_)})});
  }

  int InType(int from, DType dtype) {
    OpAttributes attributes;
    attributes.dtype = dtype;
    return Emit("convert", {from}, std::move(attributes));
  }
  // As JAX adds up in bfloat16.
  int SumInFloat32(int from) {
    return InType(Folded("add", InType(from, DType::kFloat32)),
                  DType::kBFloat16);
  }
  int HalfNumber(double value, const Shape& shape) {
    return builder_.Constant({DType::kBFloat16, shape}, {value});
  }
  // The gradient of the loss of half_, of which each example's is `factor`, by
  // what is scattered to the labels.
  int HalfGradientBy(int numerator, int scattered) {
    const int exponentials = Exponentials(half_);
    const int share = Emit("divide", {numerator, SumInFloat32(exponentials)});
    const int repeated =
        InType(InRows(InType(share, DType::kFloat32)), DType::kBFloat16);
    return Emit("add", {scattered, Emit("multiply", {repeated, exponentials})});
  }
  int HalfScattered(double number) {
    OpAttributes adding = OwnPlaces(
        "inserted_window_dims", "input_batching_dims",
        "scatter_indices_batching_dims", "scatter_dims_to_operand_dims");
    adding.word = "add";
    return Emit("scatter",
                {HalfNumber(0, builder_.type(half_).shape), label_,
                 HalfNumber(number, {{1}, 0})},
                adding);
  }

  // The result as it is, and as patterns leave it.
  void ExpectEqual(int result, const std::vector<double>& labels,
                   double tolerance = 1e-12) {
    builder_.function().results = {result};
    const auto simple = Simplified(builder_.function());
    ASSERT_TRUE(simple.ok()) << simple.status();
    const std::vector<double> before = Computed(builder_.function(), labels);
    const std::vector<double> after = Computed(*simple, labels);
    ASSERT_EQ(before.size(), after.size());
    // Both are computed in double, but for what is rounded to bfloat16.
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_THAT(after[i], NanSensitiveDoubleNear(before[i], tolerance)) << i;
  }
  std::vector<double> Computed(const FlatFunction& function,
                               const std::vector<double>& labels) {
    const auto rows = static_cast<std::int64_t>(labels.size());
    std::vector<Tensor> values;
    for (const FlatOp& op : function.ops) {
      std::vector<Tensor> operands;
      for (const int operand : op.operands)
        operands.push_back(values[static_cast<std::size_t>(operand)]);
      values.push_back(op.entry != nullptr
                           ? Evaluate(*op.entry, operands, op.attributes,
                                      rows)[static_cast<std::size_t>(op.output)]
                           : Tensor(op.type, rows));
      if (op.entry != nullptr) continue;
      std::vector<double>& numbers = values.back().values;
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = std::sin(static_cast<double>(i));
      if (op.type.dtype == DType::kInt32) numbers = labels;
      if (op.type.shape == Batched({6}).shape)
        for (const auto& [place, logit] : odd_logits_) numbers[place] = logit;
      if (op.type.dtype == DType::kBFloat16)
        for (double& number : numbers) number = RoundToBFloat16(number);
    }
    return values[static_cast<std::size_t>(function.results[0])].values;
  }

  // 0 where the largest is infinite, as jax.nn.logsumexp subtracts it.
  int FiniteLargest(int x) {
    const int largest = Folded("maximum", x);
    const int zero = Number(0, builder_.type(largest).shape);
    return Emit("select", {Emit("is_finite", {largest}), largest, zero});
  }
  int CentredByFinite(int x) {
    return Emit("subtract", {x, InRows(FiniteLargest(x))});
  }

  const int label_ = builder_.Parameter({DType::kInt32, {{1, 1}, 0}});
  const int half_ = builder_.Parameter(Batched({6}, DType::kBFloat16));
  // By their place among all numbers of the logits, 6 to a row.
  std::map<std::size_t, double> odd_logits_;
};

TEST_F(CrossEntropyTest, IsOneOpOfClampedLabels) {
  EXPECT_THAT(Left(LogLikelihoodOf(x_, x_)),
              ElementsAre("Reshape", "constant", "constant", "maximum",
                          "minimum", "SoftmaxXent", "negate"));
}

TEST_F(CrossEntropyTest, IsNotOfTheSumOfOtherLogits) {
  const int others = builder_.Parameter(Batched({6}));
  EXPECT_THAT(Left(LogLikelihoodOf(x_, others)),
              AllOf(Contains("gather"), Contains("exponential"),
                    Not(Contains("SoftmaxXent"))));
}

TEST_F(CrossEntropyTest, ItsGradientIsOneOpBesideIt) {
  const int put = Scattered(-2);
  const auto gradient = [&](double factor) {
    return GradientBy(Number(factor, {{1}, 0}), put);
  };
  EXPECT_THAT(Left(gradient(2)),
              AllOf(Contains("SoftmaxXent"), Contains("SoftmaxXentGrad"),
                    Not(Contains("scatter")), Not(Contains("exponential"))));
  EXPECT_THAT(Left(gradient(3)),
              AllOf(Contains("scatter"), Not(Contains("SoftmaxXentGrad"))))
      << "another factor than the label's";
}

// Beyond the classes on both sides, too.
const std::vector<double>& SomeLabels() {
  static const auto& labels = *new std::vector<double>{0, 5, -100, 2, 6, -1, 3};
  return labels;
}

TEST_F(CrossEntropyTest, IsWhatItWasWhateverIsTakenWhereThereIsNoLabel) {
  ExpectEqual(CrossEntropyOf(x_, 0, /*is_masked=*/false), SomeLabels());
  for (const double otherwise : {kNan, 0.0, 7.0})
    ExpectEqual(CrossEntropyOf(x_, otherwise, /*is_masked=*/true),
                SomeLabels());
  ExpectEqual(LogLikelihoodOf(x_, x_), SomeLabels());
}

// A row each: of +infinity at the label and beside it, of two, of -infinity
// likewise, of nothing else, and of NaN, beside +infinity too.
std::map<std::size_t, double> OddLogits() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::map<std::size_t, double> odd = {
      {0, kInfinity},      {6 + 1, kInfinity},   {12 + 2, kInfinity},
      {12 + 5, kInfinity}, {18 + 2, -kInfinity}, {24 + 3, -kInfinity},
      {36 + 4, kNan},      {42 + 1, kInfinity},  {42 + 2, kNan}};
  for (std::size_t i = 0; i < 6; ++i) odd[30 + i] = -kInfinity;
  return odd;
}
const std::vector<double> kOddRowsLabels = {0, 5, 5, 2, 5, 1, 3, 0};

TEST_F(CrossEntropyTest, IsWhatItWasOfInfiniteLogits) {
  odd_logits_ = OddLogits();
  ExpectEqual(LogLikelihoodOf(x_, x_), kOddRowsLabels);
  const int exponentials = Emit("exponential", {CentredByFinite(x_)});
  const int log = Emit("log", {Folded("add", exponentials)});
  const int sum = Emit("add", {log, FiniteLargest(x_)});
  const int loss = Emit("subtract", {sum, Taken(x_)});
  EXPECT_THAT(Left(loss), Contains("SoftmaxXent"));
  ExpectEqual(loss, kOddRowsLabels);
}

TEST_F(CrossEntropyTest, ItsGradientIsWhatItWasOfInfiniteLogits) {
  odd_logits_ = OddLogits();
  ExpectEqual(GradientBy(Number(2, {{1}, 0}), Scattered(-2)), kOddRowsLabels);
  const int exponentials = Emit("exponential", {CentredByFinite(x_)});
  const int share =
      Emit("divide", {Number(2, {{1}, 0}), Folded("add", exponentials)});
  const int gradient = Emit(
      "add", {Scattered(-2), Emit("multiply", {InRows(share), exponentials})});
  EXPECT_THAT(Left(gradient), Contains("SoftmaxXentGrad"));
  ExpectEqual(gradient, kOddRowsLabels);
}

TEST_F(CrossEntropyTest, IsOneOpWhereNothingOrNanIsTakenElsewhere) {
  EXPECT_THAT(Left(CrossEntropyOf(x_, 0, false)), Contains("SoftmaxXent"));
  EXPECT_THAT(Left(CrossEntropyOf(x_, kNan, true)), Contains("SoftmaxXent"));
  for (const double otherwise : {0.0, 7.0})
    EXPECT_THAT(Left(CrossEntropyOf(x_, otherwise, true)),
                Not(Contains("SoftmaxXent")));
}

// Numbers up to 3 of 8 bits, rounded at every step before and once after.
constexpr double kHalfTolerance = 4 * 3 * 0x1p-8;

TEST_F(CrossEntropyTest, OfBFloat16IsOneOpBetweenConversions) {
  const int log = Emit("log", {SumInFloat32(Exponentials(half_))});
  const int likelihood = Taken(Emit("subtract", {Centred(half_), InRows(log)}));
  const int loss = Emit(
      "subtract", {Emit("add", {log, Folded("maximum", half_)}), Taken(half_)});
  for (const int result : {likelihood, loss}) {
    EXPECT_THAT(Left(result),
                AllOf(Contains("SoftmaxXent"), Not(Contains("exponential")),
                      Not(Contains("gather"))));
    ExpectEqual(result, SomeLabels(), kHalfTolerance);
  }
  // What is not negative needs no magnitude, rounded or not.
  EXPECT_THAT(Left(Emit("abs", {SumInFloat32(Exponentials(half_))})),
              Not(Contains("abs")));
}

TEST_F(CrossEntropyTest, TheGradientOfBFloat16IsOneOpBetweenConversions) {
  const int put = HalfScattered(-2);
  const int known = HalfGradientBy(HalfNumber(2, {{1}, 0}), put);
  const int sums = SumInFloat32(Emit("negate", {put}));
  for (const int gradient : {known, HalfGradientBy(sums, put)}) {
    EXPECT_THAT(Left(gradient),
                AllOf(Contains("SoftmaxXentGrad"), Not(Contains("scatter")),
                      Not(Contains("exponential"))));
    ExpectEqual(gradient, SomeLabels(), kHalfTolerance);
  }
  EXPECT_THAT(Left(HalfGradientBy(HalfNumber(3, {{1}, 0}), put)),
              Not(Contains("SoftmaxXentGrad")))
      << "another factor than the label's";
}

TEST_F(CrossEntropyTest, ItsGradientIsWhatItWasWhereThereIsNoLabel) {
  const int put = Scattered(-2);
  ExpectEqual(GradientBy(Number(2, {{1}, 0}), put), SomeLabels());
  const int sums = Folded("add", Emit("negate", {put}));
  const int of_sums = GradientBy(sums, put);
  ExpectEqual(of_sums, SomeLabels());
  EXPECT_THAT(Left(of_sums), Contains("SoftmaxXentGrad"));
}

// As jax.checkpoint hands on what a policy keeps, or the logits alone.
TEST_F(CrossEntropyTest, IsReadBehindBarriers) {
  const int kept = Emit(kBarrier, {Exponentials(x_)});
  const int share = Emit(
      "divide",
      {Number(2, {{1}, 0}), Emit(kBarrier, {Folded("add", Exponentials(x_))})});
  const int gradient = Emit("add", {Emit(kBarrier, {Scattered(-2)}),
                                    Emit("multiply", {InRows(share), kept})});
  const int logits = Emit(kBarrier, {x_});
  for (const int result : {gradient, LogLikelihoodOf(logits, logits),
                           CrossEntropyOf(logits, 0, /*is_masked=*/false)}) {
    EXPECT_THAT(Left(result),
                AllOf(Contains("SoftmaxXent"), Not(Contains("exponential"))));
    ExpectEqual(result, SomeLabels());
  }
  EXPECT_THAT(Left(gradient), Not(Contains("StopGradient")))
      << "of the logits themselves";
  EXPECT_THAT(Left(LogLikelihoodOf(logits, logits)), Contains("StopGradient"));
}

}  // namespace
}  // namespace podsim
