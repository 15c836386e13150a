// Up to which slice a generation scales.
#include "runtime/plan/knee.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/plan/made_ladder.h"

namespace podsim {
namespace {

Ladder EfficientLadder(
    const std::vector<std::pair<std::string, double>>& rows) {
  Ladder ladder;
  for (const auto& [slice, efficiency] : rows) {
    ladder.rows.push_back(testing::RowOf({.slice = slice}));
    LadderRow& row = ladder.rows.back();
    row.efficiency = efficiency;
    row.efficiency_low = efficiency;
    row.efficiency_high = efficiency;
  }
  return ladder;
}

TEST(KneeTest, IsTheLargestSliceThatIsStillEfficient) {
  const Ladder ladder = EfficientLadder({{"v3-8", 1},
                                         {"v3-32", 0.84},
                                         {"v3-64", 0.76},
                                         {"v4-8", 1},
                                         {"v4-16", 0.95},
                                         {"v4-32", 0.8},
                                         {"v6e-4", 1}});
  const std::vector<Knee> knees = KneesOf(ladder);
  ASSERT_EQ(knees.size(), 2u);  // one slice has no knee
  EXPECT_EQ(knees[0].row, 1u);
  EXPECT_EQ(knees[0].next, 2u);
  EXPECT_EQ(knees[1].row, 5u);
  EXPECT_FALSE(knees[1].next.has_value());
  EXPECT_EQ(KneeText(ladder),
            "knee, the largest slice with an efficiency of at least 80%: v3-32 "
            "(84%; v3-64 has 76%), v4-32 (80%, no larger one here)");
}

TEST(KneeTest, HasItsBand) {
  Ladder ladder = EfficientLadder(
      {{"v3-8", 1}, {"v3-32", 0.9}, {"v3-64", 0.83}, {"v3-128", 0.76}});
  const auto set = [&](std::size_t row, double low, double high) {
    ladder.rows[row].efficiency_low = low;
    ladder.rows[row].efficiency_high = high;
  };
  const std::string begins =
      "knee, the largest slice with an efficiency of at least 80%: v3-64 (";
  set(2, 0.81, 0.85);
  set(3, 0.72, 0.79);
  EXPECT_EQ(KneesOf(ladder)[0].row_low, 2u);
  EXPECT_EQ(KneesOf(ladder)[0].row_high, 2u);
  EXPECT_EQ(KneeText(ladder),
            begins + "83%, 81% to 85%; v3-128 has 76%, 72% to 79%)");
  set(2, 0.78, 0.85);
  set(3, 0.72, 0.81);
  EXPECT_EQ(KneesOf(ladder)[0].row, 2u);
  EXPECT_EQ(KneesOf(ladder)[0].row_low, 1u);
  EXPECT_EQ(KneesOf(ladder)[0].row_high, 3u);
  EXPECT_EQ(KneeText(ladder),
            begins +
                "83%, 78% to 85%; v3-128 has 76%, 72% to 81%; at low it is "
                "v3-32, at high v3-128)");
  set(3, 0.72, 0.78);
  EXPECT_EQ(KneeText(ladder), begins +
                                  "83%, 78% to 85%; v3-128 has 76%, 72% to "
                                  "78%; at low it is v3-32)");
}

// 79.6% is no 80%.
TEST(KneeTest, WhatIsBelowIsNotRoundedUp) {
  EXPECT_EQ(KneeText(EfficientLadder(
                {{"v3-8", 1}, {"v3-32", 0.84}, {"v3-64", 0.796}})),
            "knee, the largest slice with an efficiency of at least 80%: v3-32 "
            "(84%; v3-64 has 79.60%)");
}

// In whatever order they are asked for; a dip on the way is no knee.
TEST(KneeTest, GoesByTheSlicesSizes) {
  const Ladder ladder = EfficientLadder(
      {{"v3-128", 0.7}, {"v3-8", 1}, {"v3-64", 0.9}, {"v3-32", 0.75}});
  ASSERT_EQ(KneesOf(ladder).size(), 1u);
  EXPECT_EQ(KneesOf(ladder)[0].row, 2u);
  EXPECT_EQ(KneesOf(ladder)[0].next, 0u);
}

TEST(KneeTest, WhatHasNoPlanIsNone) {
  Ladder ladder = EfficientLadder({{"v3-8", 1}, {"v3-32", 0.9}});
  ladder.rows[1].status = absl::InvalidArgumentError("no");
  EXPECT_TRUE(KneesOf(ladder).empty());
  EXPECT_EQ(KneeText(ladder), "");
}

}  // namespace
}  // namespace podsim
