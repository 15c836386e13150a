// How sure a value is: which figures are moved, how far, and how doubts add up.
#include "interconnect/timing/band.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

constexpr double kRounding = 1e-12;  // of the value

struct Moved {
  const char* name;
  const Figure& (Generation::*figure)() const;
  double ChipFigures::*place;
};

// What a kernel's time hangs on, and the clock.
constexpr Moved kOfKernels[] = {
    {"matrix_share", &Generation::matrix_share, &ChipFigures::matrix_share},
    {"hbm_share", &Generation::hbm_share, &ChipFigures::hbm_share},
    {"kernel_seconds", &Generation::kernel_seconds,
     &ChipFigures::kernel_seconds},
    {"vector_flops_per_cycle_per_core",
     &Generation::vector_flops_per_cycle_per_core,
     &ChipFigures::vector_flops_per_cycle_per_core},
    {"transcendental_flops", &Generation::transcendental_flops,
     &ChipFigures::transcendental_flops},
    {"clock_hz", &Generation::clock_hz, &ChipFigures::clock_hz}};

Slice FirstSliceOf(const Generation& generation) {
  auto slice = FindSlice(SliceNamesOf(generation).front());
  EXPECT_THAT(slice, testing::IsOk());
  return *std::move(slice);
}

// Around a value that is made of a slice's figures alone.
template <typename Of>
Spread SpreadOf(const Slice& slice, Of of) {
  const Generation& generation =
      *FindGeneration(ShippedHardware(), slice.generation);
  auto spread = SpreadAround(of(slice.figures), slice, generation,
                             [&](const Move& move) -> absl::StatusOr<double> {
                               return of(move.In(slice).figures);
                             });
  EXPECT_THAT(spread, testing::IsOk());
  return spread.value_or(Spread());
}

TEST(SpreadAround, MovesWhatIsNotPublishedToTheEndsOfItsRange) {
  for (const Generation& generation : ShippedHardware().generations()) {
    const Slice slice = FirstSliceOf(generation);
    for (const Moved& moved : kOfKernels) {
      SCOPED_TRACE(generation.name() + " " + moved.name);
      const Figure& figure = (generation.*moved.figure)();
      const bool doubted =
          figure.grade() == ASSUMED || figure.grade() == FITTED;
      const double low = doubted ? figure.low() : figure.value();
      const double high = doubted ? figure.high() : figure.value();
      const Spread spread = SpreadOf(
          slice, [&](const ChipFigures& chip) { return chip.*moved.place; });
      EXPECT_NEAR(spread.low, low, kRounding * high);
      EXPECT_NEAR(spread.high, high, kRounding * high);
    }
  }
}

// A figure of the chip, which its replicas share.
TEST(SpreadAround, MovesWhatStaysOnChipForEachReplica) {
  for (const Generation& generation : ShippedHardware().generations()) {
    SCOPED_TRACE(generation.name());
    const Slice slice = FirstSliceOf(generation);
    const Figure& figure = generation.on_chip_bytes();
    const int replicas = slice.chip().replicas_per_chip;
    const Spread spread = SpreadOf(
        slice, [](const ChipFigures& chip) { return chip.on_chip_bytes; });
    EXPECT_NEAR(spread.low, figure.low() / replicas, kRounding * figure.high());
    EXPECT_NEAR(spread.high, figure.high() / replicas,
                kRounding * figure.high());
  }
}

// A sum of parts, each of which has a doubt of its own: 3 and 4 make 5.
TEST(SpreadAround, AddsDoubtsInSquares) {
  const Slice slice = *FindSlice("v3-8");
  const Generation& v3 = *FindGeneration(ShippedHardware(), "v3");
  const auto below = [](const Figure& figure) {
    return figure.value() - figure.low();
  };
  const Spread spread = SpreadOf(slice, [&](const ChipFigures& chip) {
    return 3 * chip.matrix_share / below(v3.matrix_share()) +
           4 * chip.link_share / below(v3.link_share());
  });
  const double value =
      3 * v3.matrix_share().value() / below(v3.matrix_share()) +
      4 * v3.link_share().value() / below(v3.link_share());
  EXPECT_NEAR(spread.low, value - 5, kRounding * value);
}

// All at their slower ends at once: 3 and 4 make 7.
TEST(SpreadAround, MovesTheConstantsOfKernelsTogether) {
  const Slice slice = *FindSlice("v3-8");
  const Generation& v3 = *FindGeneration(ShippedHardware(), "v3");
  const auto below = [](const Figure& figure) {
    return figure.value() - figure.low();
  };
  const Spread spread = SpreadOf(slice, [&](const ChipFigures& chip) {
    return 3 * chip.matrix_share / below(v3.matrix_share()) +
           4 * chip.hbm_share / below(v3.hbm_share());
  });
  const double value =
      3 * v3.matrix_share().value() / below(v3.matrix_share()) +
      4 * v3.hbm_share().value() / below(v3.hbm_share());
  EXPECT_NEAR(spread.low, value - 7, kRounding * value);
}

// Both ends may lie on one side of the value: the one that does more counts.
TEST(SpreadAround, OfTwoEndsTheOneThatDoesMoreCounts) {
  const Generation& tpu7x = *FindGeneration(ShippedHardware(), "tpu7x");
  const Figure& seconds = tpu7x.kernel_seconds();
  const double farther = std::max(seconds.high() - seconds.value(),
                                  seconds.value() - seconds.low());
  const double nearer = std::min(seconds.high() - seconds.value(),
                                 seconds.value() - seconds.low());
  ASSERT_LT(nearer, 0.9 * farther);
  const Spread spread =
      SpreadOf(FirstSliceOf(tpu7x), [&](const ChipFigures& chip) {
        return std::abs(chip.kernel_seconds - seconds.value());
      });
  EXPECT_EQ(spread.low, 0);
  EXPECT_NEAR(spread.high, farther, kRounding * farther);
}

TEST(MostBelow, AreTheTwoThatDoMostAndNoneThatDoesNothing) {
  const std::vector<DoubtShare> shares = {
      {"a", 1, 0}, {"b", 3, 2}, {"c", 2, 2}};
  EXPECT_EQ(MostBelow(shares), (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(MostAbove(shares), (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(MostAbove({{"a", 1, 0}}), std::vector<std::string>());
}

// link_share of v3 is fitted, 0.67 to 0.72 for 0.696; step_seconds is assumed,
// 2 to 7.1 ms for 5: of ten of these and the share the first does more below,
// 0.03, and the share more above, 0.024.
TEST(SpreadAround, SaysWhatEachDoubtDoes) {
  const Slice slice = FirstSliceOf(*FindGeneration(ShippedHardware(), "v3"));
  const Spread spread = SpreadOf(slice, [](const ChipFigures& chip) {
    return chip.link_share + 10 * chip.step_seconds;
  });
  EXPECT_EQ(MostBelow(spread.shares),
            (std::vector<std::string>{"step_seconds", "link_share"}));
  EXPECT_EQ(MostAbove(spread.shares),
            (std::vector<std::string>{"link_share", "step_seconds"}));
  for (const DoubtShare& share : spread.shares) {
    if (share.figures != "link_share") continue;
    EXPECT_NEAR(share.below, 0.026, kRounding);
    EXPECT_NEAR(share.above, 0.024, kRounding);
  }
  EXPECT_EQ(spread.shares.front().figures,
            "matrix_share+hbm_share+kernel_seconds");
}

TEST(SpreadOfRatio, WhatMovesBothAlikeMovesNothing) {
  const Spread spread =
      SpreadOfRatio(2, {{"a", 1, 2, {1, 4}}}, 4, {{"a", 2, 4, {2, 8}}});
  EXPECT_DOUBLE_EQ(spread.low, 0.5);
  EXPECT_DOUBLE_EQ(spread.high, 0.5);
}

// 1 of 4 and 3 of 4 where 2 of 4 is forecast; the other has half of its doubt.
TEST(SpreadOfRatio, WhatMovesOneMovesTheRatio) {
  const Spread alone = SpreadOfRatio(2, {{"a", 1, 1, {1, 3}}}, 4, {});
  EXPECT_DOUBLE_EQ(alone.low, 0.25);
  EXPECT_DOUBLE_EQ(alone.high, 0.75);
  // 1 of 2.5 and 3 of 5.
  const Spread both =
      SpreadOfRatio(2, {{"a", 1, 1, {1, 3}}}, 4, {{"a", 1.5, 1, {2.5, 5}}});
  EXPECT_DOUBLE_EQ(both.low, 0.4);
  EXPECT_DOUBLE_EQ(both.high, 0.6);
}

// 3 and 4 tenths make 5, both ways.
TEST(SpreadOfRatio, AddsDoubtsInSquares) {
  const Spread spread = SpreadOfRatio(
      10, {{"a", 3, 3, {7, 13}}}, 10,
      {{"b", 10 - 10 / 1.4, 10 / 0.6 - 10, {10 / 1.4, 10 / 0.6}}});
  EXPECT_NEAR(spread.low, 0.5, kRounding);
  EXPECT_NEAR(spread.high, 1.5, kRounding);
  ASSERT_EQ(spread.shares.size(), 2);
  EXPECT_NEAR(spread.shares[0].below, 0.3, kRounding);
  EXPECT_NEAR(spread.shares[1].above, 0.4, kRounding);
}

TEST(SpreadOfRatio, IsNeverBelowNothing) {
  const Spread spread = SpreadOfRatio(
      1, {{"a", 0.9, 0, {0.1, 1}}, {"b", 0.9, 0, {0.1, 1}}}, 1, {});
  EXPECT_EQ(spread.low, 0);
}

TEST(SpreadAround, HandsErrorsOn) {
  const Slice slice = *FindSlice("v3-8");
  EXPECT_THAT(
      SpreadAround(1, slice, *FindGeneration(ShippedHardware(), "v3"),
                   [](const Move& /*move*/) -> absl::StatusOr<double> {
                     return absl::InvalidArgumentError("no such time");
                   }),
      testing::StatusIs(testing::kInvalid, ::testing::HasSubstr("no such")));
}

// A collective runs no kernel of the chip's program.
TEST(BandOf, KernelsAreNoPartOfACollective) {
  const Generation& v3 = *FindGeneration(ShippedHardware(), "v3");
  const Slice slice = *FindSlice("v3-32");
  const PriceRequest request = {.bytes = 1 << 20};
  ASSERT_OK_AND_ASSIGN(const Price price, PriceCollective(slice, request));
  ASSERT_OK_AND_ASSIGN(const Band band, BandOf(slice, v3, request, price));
  EXPECT_LT(band.low, price.time);
  EXPECT_GT(band.high, price.time);
  Generation sure = v3;
  for (Figure* figure : {sure.mutable_matrix_share(), sure.mutable_hbm_share(),
                         sure.mutable_kernel_seconds(),
                         sure.mutable_vector_flops_per_cycle_per_core(),
                         sure.mutable_transcendental_flops()})
    figure->set_grade(PRIMARY);
  ASSERT_OK_AND_ASSIGN(const Band same, BandOf(slice, sure, request, price));
  EXPECT_EQ(same.low, band.low);
  EXPECT_EQ(same.high, band.high);
}

}  // namespace
}  // namespace podsim
