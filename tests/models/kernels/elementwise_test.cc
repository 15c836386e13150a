// Element-wise kernels of each runnable level against the reference, over odd
// lengths and special values.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <thread>
#include <vector>

#include "models/kernels/reference.h"
#include "tests/models/kernels/kernel_fixture.h"

namespace podsim {
namespace {

constexpr float kInfFloat = std::numeric_limits<float>::infinity();
constexpr float kNanFloat = std::numeric_limits<float>::quiet_NaN();
const std::vector<std::int64_t> kSizes = {0, 1, 2, 15, 16, 17, 31, 33, 127};

std::vector<float> SpecialValues() {
  std::vector<float> values = {0.0f,      -0.0f,      kInfFloat, -kInfFloat,
                               kNanFloat, -kNanFloat, 1.0f,      -1.0f,
                               1e-40f,    -1e-40f,    3.4e38f};
  // Around every rounding boundary of a few numbers, the ends of each class of
  // float32 among them.
  for (const std::uint32_t high :
       {0x0000u, 0x0001u, 0x007fu, 0x0080u, 0x3f80u, 0x3f81u, 0x4049u, 0x7f7eu,
        0x7f7fu, 0x7f80u, 0x7fbfu, 0x7fffu}) {
    for (const std::uint32_t low :
         {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      for (const std::uint32_t sign : {0x0000u, 0x8000u}) {
        values.push_back(std::bit_cast<float>((sign | high) << 16 | low));
      }
    }
  }
  return values;
}

std::int64_t Size(const std::vector<float>& values) {
  return static_cast<std::int64_t>(values.size());
}

class ElementwiseTest : public KernelTest {};

TEST_P(ElementwiseTest, RoundBfloat16KnownValues) {
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> known = {
      {0x3f800000, 0x3f800000},  // 1 is a bfloat16
      {0x3f808000, 0x3f800000},  // tie: to even, down
      {0x3f818000, 0x3f820000},  // tie: to even, up
      {0x3f808001, 0x3f810000},  // just above a tie
      {0x3f807fff, 0x3f800000},  // just below
      {0xbf818000, 0xbf820000},  // sign does not matter
      {0x7f7f8000, 0x7f800000},  // overflow to infinity
      {0x7f7f7fff, 0x7f7f0000},  // the largest that stays finite
      {0x00000001, 0x00000000},  // subnormals to zero of their sign
      {0x807f0000, 0x80000000},
      {0x007fffff, 0x00800000},  // rounds up into the normal range
      {0x80000000, 0x80000000},  // -0
      {0xff800000, 0xff800000},  // -infinity
  };
  for (const auto& [from_bits, want] : known) {
    const float from = std::bit_cast<float>(from_bits);
    float to = 0;
    kernels().round_bfloat16(1, &from, &to);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(to), want) << std::hex << from_bits;
  }
}

TEST_P(ElementwiseTest, RoundBfloat16SpecialValues) {
  const std::vector<float> from = SpecialValues();
  std::vector<float> got(from.size()), want(from.size());
  kernels().round_bfloat16(Size(from), from.data(), got.data());
  ReferenceKernels().round_bfloat16(Size(from), from.data(), want.data());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(got[i]);
    EXPECT_EQ(bits & 0xffffu, 0u) << i;
    if (std::isnan(from[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << i;
    } else {
      EXPECT_EQ(bits, std::bit_cast<std::uint32_t>(want[i])) << from[i];
    }
  }
}

TEST_P(ElementwiseTest, RoundBfloat16InPlaceAndIdempotent) {
  for (const std::int64_t size : kSizes) {
    const std::vector<float> from = Uniform(size, 7);
    std::vector<float> want(from.size()), got = from;
    ReferenceKernels().round_bfloat16(size, from.data(), want.data());
    kernels().round_bfloat16(size, got.data(), got.data());
    EXPECT_EQ(Bits(got), Bits(want));
    kernels().round_bfloat16(size, got.data(), got.data());
    EXPECT_EQ(Bits(got), Bits(want));
  }
}

TEST_P(ElementwiseTest, ReluKeepsNanAndClearsTheRest) {
  const std::vector<float> x = SpecialValues();
  std::vector<float> got(x.size()), want = x;
  for (float& value : want)
    if (!std::isnan(value) && !(value > 0)) value = 0.0f;
  RunElementwise(kernels(), "Relu", {x.data()}, got);
  EXPECT_EQ(Bits(got), Bits(want));
  std::vector<float> in_place = x;
  RunElementwise(kernels(), "Relu", {in_place.data()}, in_place);
  EXPECT_EQ(Bits(in_place), Bits(want));
}

TEST_P(ElementwiseTest, ReluGradPassesWhereTheOutputIsPositive) {
  const std::vector<float> y = SpecialValues();
  const std::vector<float> dy = Uniform(Size(y), 8);
  std::vector<float> got(y.size()), want = dy;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (!(y[i] > 0)) want[i] = 0.0f;
  RunElementwise(kernels(), "ReluGrad", {dy.data(), y.data()}, got);
  EXPECT_EQ(Bits(got), Bits(want));
  std::vector<float> in_place = dy;
  RunElementwise(kernels(), "ReluGrad", {in_place.data(), y.data()}, in_place);
  EXPECT_EQ(Bits(in_place), Bits(want));
}

// Of numbers of all sizes, infinities and NaN: every level has the bits of v2.
TEST_P(ElementwiseTest, EveryListedOpHasTheSameBitsAtEveryLevel) {
  ASSERT_OK_AND_ASSIGN(const PodsimKernels* oldest, LoadKernels("v2"));
  const std::vector<float> x = SpecialValues();
  const std::vector<float> y(x.rbegin(), x.rend());
  const std::vector<float> z = Uniform(Size(x), 17);
  const std::vector<const float*> operands = {x.data(), y.data(), z.data()};
  int ops = 0;
  for (const PodsimElementwise* each = oldest->elementwise; each->op != nullptr;
       ++each, ++ops) {
    std::vector<float> got(x.size()), want(x.size());
    RunElementwise(kernels(), each->op, operands, got);
    each->run(Size(x), operands.data(), want.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(want[i])) {
        EXPECT_TRUE(std::isnan(got[i])) << each->op << " of " << x[i];
      } else {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(got[i]),
                  std::bit_cast<std::uint32_t>(want[i]))
            << each->op << " of " << x[i];
      }
    }
  }
  EXPECT_GE(ops, 3);
}

TEST_P(ElementwiseTest, AddBiasIsExact) {
  for (const std::int64_t m : kSizes) {
    for (const std::int64_t n : kSizes) {
      const std::vector<float> x = Uniform(m * n, 9), bias = Uniform(n, 10);
      std::vector<float> got = x, want = x;
      kernels().add_bias(m, n, got.data(), bias.data(), got.data());
      ReferenceKernels().add_bias(m, n, x.data(), bias.data(), want.data());
      ASSERT_EQ(Bits(got), Bits(want)) << m << " x " << n;
    }
  }
}

// Rows are added one by one: M float32 additions, each off by at most u of a
// partial sum, which the column's absolute sum bounds; two more u for the
// reference's rounding and second-order terms.
TEST_P(ElementwiseTest, ColumnSumsNearReference) {
  for (const std::int32_t accumulate : {0, 1}) {
    for (const std::int64_t m : kSizes) {
      for (const std::int64_t n : kSizes) {
        const std::vector<float> x = Uniform(m * n, 11), start = Uniform(n, 12);
        std::vector<float> got = start, want = start;
        std::vector<float> bound = Absolute(start);
        kernels().column_sums(m, n, x.data(), got.data(), accumulate);
        ReferenceKernels().column_sums(m, n, x.data(), want.data(), accumulate);
        ReferenceKernels().column_sums(m, n, Absolute(x).data(), bound.data(),
                                       accumulate);
        for (std::size_t i = 0; i < got.size(); ++i) {
          ASSERT_NEAR(got[i], want[i],
                      static_cast<double>(m + 3) * kUnitRoundoff * bound[i])
              << m << " x " << n << " at " << i;
        }
      }
    }
  }
}

// The contract's order, spelled out.
TEST_P(ElementwiseTest, ColumnSumsAddRowsInOrder) {
  constexpr std::int64_t kRows = 100, kColumns = 19;
  const std::vector<float> x = Uniform(kRows * kColumns, 13);
  std::vector<float> want(kColumns, 0.0f), got(kColumns, 99.0f);
  for (std::size_t i = 0; i < x.size(); ++i) want[i % kColumns] += x[i];
  kernels().column_sums(kRows, kColumns, x.data(), got.data(), 0);
  EXPECT_EQ(Bits(got), Bits(want));
}

// The contract's order, spelled out: `fold` of two numbers.
template <typename Fold>
float FoldedLine(std::span<const float> x, float neutral, const Fold& fold) {
  std::vector<float> total(16, neutral);
  for (std::size_t first = 0; first < x.size(); first += 512) {
    std::vector<float> lanes(16, neutral);
    for (std::size_t i = first; i < std::min(x.size(), first + 512); ++i)
      lanes[i % 16] = fold(lanes[i % 16], x[i]);
    for (std::size_t lane = 0; lane < 16; ++lane)
      total[lane] = fold(total[lane], lanes[lane]);
  }
  for (std::size_t half = 8; half > 0; half /= 2)
    for (std::size_t lane = 0; lane < half; ++lane)
      total[lane] = fold(total[lane], total[lane + half]);
  return fold(neutral, total[0]);
}

constexpr std::int64_t kFoldedLines = 3;

TEST_P(ElementwiseTest, LinesAreFoldedInTheContractsOrder) {
  for (const std::int64_t length : {1, 15, 16, 17, 37, 64, 511, 512, 1500}) {
    const std::vector<float> x = Uniform(kFoldedLines * length, 14);
    std::vector<float> sums(kFoldedLines);
    std::vector<float> largest(kFoldedLines);
    std::vector<float> smallest(kFoldedLines);
    kernels().sum_lines(kFoldedLines, length, x.data(), sums.data());
    kernels().maximum_of_lines(kFoldedLines, length, x.data(), largest.data());
    kernels().minimum_of_lines(kFoldedLines, length, x.data(), smallest.data());
    for (std::int64_t line = 0; line < kFoldedLines; ++line) {
      const auto of_line =
          std::span(x).subspan(static_cast<std::size_t>(line * length),
                               static_cast<std::size_t>(length));
      const auto at = static_cast<std::size_t>(line);
      EXPECT_EQ(sums[at],
                FoldedLine(of_line, 0, [](float a, float b) { return a + b; }))
          << length;
      EXPECT_EQ(largest[at], *std::max_element(of_line.begin(), of_line.end()));
      EXPECT_EQ(smallest[at],
                *std::min_element(of_line.begin(), of_line.end()));
    }
  }
}

// NaN of NaN wherever it stands; -0 is below 0.
TEST_P(ElementwiseTest, ExtremesOfLinesKnowNanAndZeros) {
  for (std::size_t at = 0; at < 37; ++at) {
    std::vector<float> x(37, -0.0F);
    float result = 1;
    x[at] = 0;
    kernels().maximum_of_lines(1, 37, x.data(), &result);
    EXPECT_EQ(Bits({result}), Bits({0.0F}));
    for (float& each : x) each = 0;
    x[at] = -0.0F;
    kernels().minimum_of_lines(1, 37, x.data(), &result);
    EXPECT_EQ(Bits({result}), Bits({-0.0F}));
    x[at] = std::numeric_limits<float>::quiet_NaN();
    kernels().maximum_of_lines(1, 37, x.data(), &result);
    EXPECT_TRUE(std::isnan(result));
    kernels().minimum_of_lines(1, 37, x.data(), &result);
    EXPECT_TRUE(std::isnan(result));
  }
}

TEST_P(ElementwiseTest, NumbersAreSpreadOverLines) {
  for (const std::int64_t length : {1, 15, 16, 37}) {
    const std::vector<float> x = Uniform(kFoldedLines, 15);
    std::vector<float> out(static_cast<std::size_t>(kFoldedLines * length));
    kernels().spread_lines(kFoldedLines, length, x.data(), out.data());
    for (std::size_t i = 0; i < out.size(); ++i)
      EXPECT_EQ(out[i], x[i / static_cast<std::size_t>(length)]);
  }
}

PODSIM_INSTANTIATE_KERNEL_TEST(ElementwiseTest);

struct Softmax {
  std::vector<float> prob, loss, correct;
};

Softmax RunSoftmax(const PodsimKernels& kernels, std::int64_t m, std::int64_t n,
                   const std::vector<float>& logits,
                   const std::vector<std::int32_t>& labels) {
  Softmax result;
  result.prob.resize(static_cast<std::size_t>(m * n));
  result.loss.resize(static_cast<std::size_t>(m));
  result.correct.resize(static_cast<std::size_t>(m));
  kernels.softmax_xent(m, n, logits.data(), labels.data(), result.prob.data(),
                       result.loss.data(), result.correct.data());
  return result;
}

std::vector<std::int32_t> Labels(std::int64_t m, std::int64_t n) {
  std::vector<std::int32_t> labels;
  for (std::int64_t row = 0; row < m; ++row) {
    labels.push_back(static_cast<std::int32_t>(row * 7 % n));
  }
  return labels;
}

class SoftmaxTest : public KernelTest {};

// With u = 2^-24 and D the largest distance between two logits of the row:
// x - max is off by u D, exp by 4 u of its own (Eigen's is within 2 ulp) and
// by u D from its argument, so each term is off by (4 + D) u relative. Their
// sum, of positive terms by N / 16 + 4 additions, is off by that plus
// (N / 16 + 4) u; a quotient by twice that and one u. The logarithm of the sum
// is off by the sum's relative error plus 4 u of itself, the shift by u D.
TEST_P(SoftmaxTest, NearReference) {
  constexpr double kDistance = 10;
  for (const std::int64_t m : {1, 2, 15, 16, 17, 33}) {
    for (const std::int64_t n : {1, 2, 10, 15, 16, 17, 31, 127, 1000}) {
      std::vector<float> logits = Uniform(m * n, 21);
      for (float& value : logits) value *= kDistance / 2;
      const auto labels = Labels(m, n);
      const Softmax got = RunSoftmax(kernels(), m, n, logits, labels);
      const Softmax want = RunSoftmax(ReferenceKernels(), m, n, logits, labels);
      EXPECT_EQ(got.correct, want.correct);
      const double sum_error =
          (8 + kDistance + static_cast<double>(n) / 16) * kUnitRoundoff;
      for (std::size_t i = 0; i < got.prob.size(); ++i) {
        ASSERT_NEAR(got.prob[i], want.prob[i],
                    (2 * sum_error + 2 * kUnitRoundoff) * want.prob[i])
            << m << " x " << n << " at " << i;
      }
      for (std::size_t i = 0; i < got.loss.size(); ++i) {
        ASSERT_NEAR(got.loss[i], want.loss[i],
                    sum_error + (4 * std::log(static_cast<double>(n)) +
                                 2 * kDistance + 2 * want.loss[i]) *
                                    kUnitRoundoff)
            << m << " x " << n << " at " << i;
      }
    }
  }
}

TEST_P(SoftmaxTest, LargeLogitsNeitherOverflowNorVanish) {
  const std::vector<float> logits = {1e30f, 0, -1e30f, -200, -100, -kInfFloat};
  const Softmax got = RunSoftmax(kernels(), 2, 3, logits, {0, 1});
  EXPECT_EQ(got.prob[0], 1.0f);
  EXPECT_EQ(got.loss[0], 0.0f);
  EXPECT_EQ(got.prob[4], 1.0f);
  EXPECT_EQ(got.prob[5], 0.0f);
  // Eigen's exp ends at e^-88.7 instead of 0, which only an infinite logit has.
  EXPECT_NEAR(got.prob[1], 0, 1e-38);
  EXPECT_EQ(got.correct, (std::vector<float>{1, 1}));
}

TEST_P(SoftmaxTest, FirstOfEqualLogitsWins) {
  const std::vector<float> logits = {2, 5, 5, 2, 5, 5};
  EXPECT_EQ(RunSoftmax(kernels(), 2, 3, logits, {1, 2}).correct,
            (std::vector<float>{1, 0}));
}

TEST_P(SoftmaxTest, ALogitThatIsNanMakesTheLossNan) {
  for (std::size_t place = 0; place < 20; ++place) {
    std::vector<float> logits(40, 0.5f);
    logits[place] = kNanFloat;
    const Softmax got = RunSoftmax(kernels(), 2, 20, logits, {3, 3});
    EXPECT_TRUE(std::isnan(got.loss[0])) << place;
    EXPECT_TRUE(std::isfinite(got.loss[1]));
  }
}

TEST_P(SoftmaxTest, ALogitThatIsNanBesideAnInfiniteOneMakesTheRowNan) {
  const std::vector<float> logits = {kInfFloat, 0.5f, kNanFloat};
  for (const PodsimKernels* tried : {&kernels(), &ReferenceKernels()}) {
    const Softmax got = RunSoftmax(*tried, 1, 3, logits, {1});
    EXPECT_TRUE(std::isnan(got.loss[0]));
    for (const float prob : got.prob) EXPECT_TRUE(std::isnan(prob));
  }
}

// As in JAX, where the loss is logsumexp(logits) - logits[label], and its
// gradient has the exponentials of logits - logsumexp(logits).
TEST_P(SoftmaxTest, AnInfiniteLogitMakesTheLossOfOtherLabelsInfinite) {
  constexpr std::size_t kLabel = 3;
  for (std::size_t place = 0; place < 20; ++place) {
    std::vector<float> logits(40, 0.5f);
    logits[place] = kInfFloat;
    for (const PodsimKernels* tried : {&kernels(), &ReferenceKernels()}) {
      const Softmax got = RunSoftmax(*tried, 2, 20, logits, {kLabel, kLabel});
      EXPECT_TRUE(place == kLabel ? std::isnan(got.loss[0])
                                  : got.loss[0] == kInfFloat)
          << got.loss[0] << " at " << place;
      EXPECT_TRUE(std::isfinite(got.loss[1]));
      for (std::size_t i = 0; i < 20; ++i)
        EXPECT_TRUE(i == place ? std::isnan(got.prob[i]) : got.prob[i] == 0)
            << got.prob[i] << " at " << i;
    }
  }
}

TEST_P(SoftmaxTest, LabelOutsideTheClassesMakesTheLossNan) {
  const std::vector<float> logits(9, 0.0f);
  const Softmax got = RunSoftmax(kernels(), 3, 3, logits, {-1, 3, 2});
  EXPECT_TRUE(std::isnan(got.loss[0]));
  EXPECT_TRUE(std::isnan(got.loss[1]));
  EXPECT_TRUE(std::isfinite(got.loss[2]));
  EXPECT_EQ(got.correct[0], 0.0f);
}

// Bits of a row depend neither on its place, and so on its alignment, nor on
// the rows around it, nor on the thread.
TEST_P(SoftmaxTest, BitsOfARowAreItsOwn) {
  constexpr std::int64_t kRows = 37, kColumns = 10;
  const std::vector<float> logits = Uniform(kRows * kColumns, 22);
  const auto labels = Labels(kRows, kColumns);
  const Softmax whole = RunSoftmax(kernels(), kRows, kColumns, logits, labels);
  std::jthread other([&] {
    for (std::size_t row = 0; row < kRows; ++row) {
      const auto first = static_cast<std::ptrdiff_t>(row * kColumns);
      const Softmax one = RunSoftmax(
          kernels(), 1, kColumns,
          {logits.begin() + first, logits.begin() + first + kColumns},
          {labels[row]});
      EXPECT_EQ(Bits(one.prob), Bits({whole.prob.begin() + first,
                                      whole.prob.begin() + first + kColumns}));
      EXPECT_EQ(Bits(one.loss), Bits({whole.loss[row]}));
    }
  });
}

TEST_P(SoftmaxTest, GradIsExact) {
  for (const std::int64_t n : {1, 10, 33}) {
    constexpr std::int64_t kRows = 17;
    const std::vector<float> prob = Uniform(kRows * n, 23);
    const std::vector<float> weight = Uniform(kRows, 24);
    std::vector<std::int32_t> labels = Labels(kRows, n);
    labels.back() = -1;  // no class: nothing to subtract
    std::vector<float> got = prob, want = prob;
    kernels().softmax_xent_grad(kRows, n, got.data(), labels.data(),
                                weight.data(), got.data());
    ReferenceKernels().softmax_xent_grad(kRows, n, prob.data(), labels.data(),
                                         weight.data(), want.data());
    EXPECT_EQ(Bits(got), Bits(want)) << n;
  }
}

PODSIM_INSTANTIATE_KERNEL_TEST(SoftmaxTest);

}  // namespace
}  // namespace podsim
