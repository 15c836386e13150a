// Which slices keep a deadline and a budget: against a search over the table,
// and worked by hand.
#include "runtime/plan/which_slice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/text_table.h"
#include "runtime/plan/which_text.h"
#include "tests/runtime/plan/made_ladder.h"

namespace podsim {
namespace {

using ::podsim::testing::kMadeSteps;
using ::podsim::testing::MadeLadder;
using ::podsim::testing::MadeRow;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A line of the table as anybody would read it.
struct Line {
  double seconds = 0;
  double price = 0;
};

Line LineOf(const LadderRow& row, const ChipHourPrices& prices) {
  const double seconds = row.forecast.start_up.seconds() +
                         kMadeSteps * row.forecast.step.total.seconds();
  return {seconds, prices.of_generation.at(row.slice.generation) *
                       row.slice.chips * seconds / 3600};
}

struct Searched {
  std::optional<std::size_t> cheapest;
  std::optional<std::size_t> fastest;
};

// Tries every row.
Searched Search(const Ladder& ladder, const ChipHourPrices& prices,
                const Limits& limits) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  Searched found;
  double least_price = kNone;
  double least_seconds = kNone;
  for (std::size_t i = 0; i < ladder.rows.size(); ++i) {
    const Line line = LineOf(ladder.rows[i], prices);
    if (line.seconds > limits.deadline_seconds.value_or(kNone)) continue;
    if (line.price > limits.budget.value_or(kNone)) continue;
    if (line.price < least_price) {
      least_price = line.price;
      found.cheapest = i;
    }
    if (line.seconds < least_seconds) {
      least_seconds = line.seconds;
      found.fastest = i;
    }
  }
  return found;
}

TEST(WhichSliceTest, IsWhatASearchOverTheTableFinds) {
  const std::vector<std::string> slices = {
      "v2-8",  "v2-128",       "v3-8",          "v3-32", "v3-128",
      "v4-8",  "v4-64",        "v5litepod-16",  "v5p-8", "v5p-128",
      "v6e-4", "v5litepod-64", "v5litepod-256", "v6e-64"};
  std::mt19937 random(7);
  const auto between = [&random](double low, double high) {
    return low +
           (high - low) * (static_cast<double>(random()) / std::mt19937::max());
  };
  int none = 0;
  int both = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<MadeRow> rows;
    for (const std::string& slice : slices) {
      const double step = between(0.1, 10);
      rows.push_back({.slice = slice,
                      .step = step,
                      .low = step * between(0.7, 1),
                      .high = step * between(1, 1.6),
                      .start_up = between(0, 600)});
    }
    const Ladder ladder = MadeLadder(rows);
    const ChipHourPrices prices = {.of_generation = {{"v2", between(1, 5)},
                                                     {"v3", between(1, 5)},
                                                     {"v4", between(1, 5)},
                                                     {"v5e", between(1, 5)},
                                                     {"v5p", between(1, 5)},
                                                     {"v6e", between(1, 5)}}};
    Limits limits;
    if (round % 3 != 0) limits.deadline_seconds = between(100, 8000);
    if (round % 3 != 1) limits.budget = between(1, 100);
    const WhichSlice which = ChooseSlices(ladder, prices, limits);
    const Searched found = Search(ladder, prices, limits);
    ASSERT_EQ(which.cheapest.has_value(), found.cheapest.has_value());
    ASSERT_EQ(which.fastest.has_value(), found.fastest.has_value());
    EXPECT_EQ(which.nearest.has_value(), !found.cheapest.has_value());
    none += found.cheapest ? 0 : 1;
    if (!found.cheapest) continue;
    EXPECT_EQ(which.cheapest->row, *found.cheapest);
    EXPECT_EQ(which.fastest->row, *found.fastest);
    EXPECT_GT(which.cheapest->holds, 0);
    both += which.cheapest->row != which.fastest->row ? 1 : 0;
  }
  // The rounds are of every kind.
  EXPECT_GT(none, 0);
  EXPECT_GT(both, 0);
}

TEST(WhichSliceTest, HoldsAsFarAsTheLimitReachesIntoTheBand) {
  const RunBand band = {.forecast = 3, .low = 2, .high = 4};
  EXPECT_EQ(HoldsUpTo(band, 5), 1);
  EXPECT_EQ(HoldsUpTo(band, 4), 1);
  EXPECT_EQ(HoldsUpTo(band, 3), 0.5);
  EXPECT_EQ(HoldsUpTo(band, 2), 0);
  EXPECT_EQ(HoldsUpTo(band, 1), 0);
  const RunBand sure = {.forecast = 2, .low = 2, .high = 2};
  EXPECT_EQ(HoldsUpTo(sure, 2), 1);
  EXPECT_EQ(HoldsUpTo(sure, 1.9), 0);
}

TEST(WhichSliceTest, ARowMeetsALimitWithAllOfItsBand) {
  const RunBand band = {.forecast = 3, .low = 2, .high = 4};
  EXPECT_EQ(StandingOf(band, 5), Standing::kMeets);
  EXPECT_EQ(StandingOf(band, 4), Standing::kMeets);
  EXPECT_EQ(StandingOf(band, 3.9), Standing::kMayMiss);
  EXPECT_EQ(StandingOf(band, 2), Standing::kMayMiss);
  EXPECT_EQ(StandingOf(band, 1.9), Standing::kMisses);
  const RunBand sure = {.forecast = 2, .low = 2, .high = 2};
  EXPECT_EQ(StandingOf(sure, 2), Standing::kMeets);
  EXPECT_EQ(StandingOf(sure, 1.9), Standing::kMisses);
}

// 40,000 s of a chip, 40,080 s, which is 0.2% more, and 40,960 s.
TEST(WhichSliceTest, WhatCostsAsMuchIsNamed) {
  const Ladder ladder = MadeLadder({{.slice = "v3-8", .step = 10},
                                    {.slice = "v3-32", .step = 2.505},
                                    {.slice = "v3-128", .step = 0.64}});
  const WhichSlice which = ChooseSlices(ladder, {}, {.deadline_seconds = 2e4});
  EXPECT_EQ(which.cheapest->row, 0u);
  EXPECT_THAT(which.cheapest_ties, ElementsAre(1));
  EXPECT_EQ(which.fastest->row, 2u);
  EXPECT_THAT(which.fastest_ties, ElementsAre());
  EXPECT_THAT(FormatWhich(ladder, {}, which, kAllColumns),
              HasSubstr(": holds in all of low to high; ties with v3-32 "
                        "(chip-hours within 0.5%)\n"));
}

// Of 4 chips each, 1,000 and 1,004 s; at these prices 1.11 and 2.23.
TEST(WhichSliceTest, WhatTakesAsLongIsNamedIfItKeepsTheLimits) {
  const Ladder ladder = MadeLadder(
      {{.slice = "v3-8", .step = 1}, {.slice = "v4-8", .step = 1.004}});
  const ChipHourPrices prices = {.of_generation = {{"v3", 1}, {"v4", 2}}};
  const WhichSlice both =
      ChooseSlices(ladder, prices, {.deadline_seconds = 2000, .budget = 100});
  EXPECT_THAT(both.cheapest_ties, ElementsAre());
  EXPECT_THAT(both.fastest_ties, ElementsAre(1));
  EXPECT_THAT(
      FormatWhich(ladder, prices, both, kAllColumns),
      HasSubstr("# cheapest and fastest within 33.3 min and 100: v3-8, "));
  EXPECT_THAT(FormatWhich(ladder, prices, both, kAllColumns),
              HasSubstr("; ties with v4-8 (time within 0.5%)\n"));
  EXPECT_THAT(ChooseSlices(ladder, prices, {.budget = 2}).fastest_ties,
              ElementsAre());
}

TEST(WhichSliceTest, SaysWhichFiguresMoveLowAndHighMost) {
  Ladder ladder = MadeLadder({{.slice = "v3-8"}});
  const auto said = [&] {
    return FormatWhich(ladder, {},
                       ChooseSlices(ladder, {}, {.deadline_seconds = 1e4}),
                       kAllColumns);
  };
  EXPECT_THAT(said(), Not(HasSubstr("the figures that move")));
  std::vector<DoubtShare>& shares = ladder.rows[0].forecast.band.shares;
  shares = {
      {"clock_hz", 0.5, 0.5}, {"link_share", 2, 1}, {"hop_seconds", 1, 2}};
  EXPECT_THAT(said(),
              HasSubstr("# the figures that move a run on v3-8 most: low by "
                        "link_share and hop_seconds, high by hop_seconds and "
                        "link_share\n"));
  shares = {{"link_share", 2, 3}};
  EXPECT_THAT(said(), HasSubstr(" most: low and high by link_share\n"));
}

// 3,600 s of 4 chips at 2 an hour: 8; from 3,240 s to 5,040 s, 7.2 to 11.2.
class OneSlice : public ::testing::Test {
 protected:
  std::string Said(const Limits& limits) const {
    return FormatWhich(ladder_, prices_, ChooseSlices(ladder_, prices_, limits),
                       kAllColumns);
  }

  const Ladder ladder_ =
      MadeLadder({{.slice = "v3-8", .step = 3.6, .low = 3.24, .high = 5.04}});
  const ChipHourPrices prices_ = {.of_generation = {{"v3", 2}},
                                  .currency = "USD"};
};

TEST_F(OneSlice, SaysHowSureItIs) {
  EXPECT_THAT(Said({.deadline_seconds = 74 * 60}),
              HasSubstr("# cheapest within 74 min: v3-8, 60 min sim (54 min to "
                        "84 min), 4 chip-hours, USD 8 (USD 7.2 to USD 11.2): "
                        "holds up to 66% of the way from low to high (a place "
                        "in the band, no probability)\n"));
  EXPECT_THAT(Said({.deadline_seconds = 90 * 60}),
              HasSubstr(": holds in all of low to high\n"));
  EXPECT_THAT(Said({.budget = 9.1}),
              HasSubstr("# fastest within USD 9.1: v3-8, "));
  // The limit that reaches less far counts: (9.1 - 7.2) / (11.2 - 7.2).
  EXPECT_THAT(Said({.deadline_seconds = 74 * 60, .budget = 9.1}),
              HasSubstr("# cheapest and fastest within 74 min and USD 9.1: "));
  EXPECT_THAT(Said({.deadline_seconds = 74 * 60, .budget = 9.1}),
              HasSubstr("holds up to 47% of the way"));
  EXPECT_EQ(Said({}), "");
}

TEST_F(OneSlice, NamesTheNearestWhereNoneKeepsIt) {
  const std::string text = Said({.deadline_seconds = 30 * 60});
  EXPECT_THAT(text, HasSubstr("# no slice of these keeps 30 min; v3-8 comes "
                              "nearest: 60 min sim "));
  EXPECT_THAT(text, HasSubstr(", 100% over 30 min\n"));
  // Near low it would keep it: (3,430 - 3,240) of 1,800 s, downwards.
  EXPECT_THAT(Said({.deadline_seconds = 3430}),
              HasSubstr("; it holds up to 10% of the way from low to high (a "
                        "place in the band, no probability)\n"));
  EXPECT_THAT(Said({.deadline_seconds = 7200, .budget = 5}),
              HasSubstr(", 60% over USD 5\n"));
}

TEST(WhichSliceTest, WithoutPricesTheFewestChipHoursAreCheapest) {
  const Ladder ladder = MadeLadder({{.slice = "v3-8", .step = 10},
                                    {.slice = "v3-32", .step = 4},
                                    {.slice = "v3-128", .step = 2}});
  const Limits limits = {.deadline_seconds = 5000};
  const WhichSlice which = ChooseSlices(ladder, {}, limits);
  ASSERT_TRUE(which.cheapest.has_value());
  EXPECT_EQ(which.cheapest->row, 1u);  // 16 chips of 4,000 s, 64 of 2,000 s
  EXPECT_THAT(FormatWhich(ladder, {}, which, kAllColumns),
              HasSubstr("# fewest chip-hours within 83.3 min: v3-32, "));
}

TEST(WhichSliceTest, ASliceWithoutAPlanIsNotNamed) {
  Ladder ladder =
      MadeLadder({{.slice = "v3-8", .step = 1}, {.slice = "v3-32", .step = 2}});
  ladder.rows[0].status = absl::ResourceExhaustedError("too large");
  const WhichSlice which = ChooseSlices(ladder, {}, {.deadline_seconds = 1e6});
  ASSERT_TRUE(which.cheapest.has_value());
  EXPECT_EQ(which.cheapest->row, 1u);
}

// v3-8 fits its HBM only by computing half of its products again: its 2 s of a
// step are 3 s. Both slices have 4 chips.
class Recomputing : public ::testing::Test {
 protected:
  static MadeRow Fits(const std::string& slice, double step) {
    return {.slice = slice, .step = step, .low = step, .high = step};
  }

  const Ladder ladder_ = MadeLadder({{.slice = "v3-8",
                                      .step = 3,
                                      .low = 3,
                                      .high = 3,
                                      .recomputed_share = 0.5},
                                     Fits("v4-8", 2.5)});
  const Ladder roomy_ = MadeLadder({Fits("v3-8", 2), Fits("v4-8", 2.5)});
};

TEST_F(Recomputing, LosesByWhatItComputesAgain) {
  const ChipHourPrices same = {.of_all = 1};
  const Limits limits = {.deadline_seconds = 4000};
  ASSERT_EQ(ladder_.rows[0].slice.chips, ladder_.rows[1].slice.chips);
  EXPECT_EQ(ChooseSlices(roomy_, same, limits).cheapest->row, 0u);
  const WhichSlice which = ChooseSlices(ladder_, same, limits);
  EXPECT_EQ(which.cheapest->row, 1u);
  EXPECT_EQ(which.fastest->row, 1u);
  EXPECT_THAT(FormatWhich(ladder_, same, which, kAllColumns),
              Not(HasSubstr("recomputes")));
}

TEST_F(Recomputing, WinsWhereItsChipsAreCheapEnoughForIt) {
  // 3 at 1 is less than 2.5 at 2, and it says what it does for it.
  const ChipHourPrices prices = {.of_generation = {{"v3", 1}, {"v4", 2}}};
  const WhichSlice which =
      ChooseSlices(ladder_, prices, {.deadline_seconds = 4000});
  EXPECT_EQ(which.cheapest->row, 0u);
  EXPECT_EQ(which.fastest->row, 1u);
  EXPECT_THAT(FormatWhich(ladder_, prices, which, kAllColumns),
              HasSubstr("; it recomputes 50% of the model's FLOP for want of "
                        "HBM\n"));
  // In time it is no more.
  EXPECT_EQ(
      ChooseSlices(ladder_, prices, {.deadline_seconds = 2800}).cheapest->row,
      1u);
}

}  // namespace
}  // namespace podsim
