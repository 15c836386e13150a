// The middle of what a run measured.
#include "runtime/report/median.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

namespace podsim {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(MedianTest, IsOneOfTheFiniteValues) {
  EXPECT_EQ(Median({}), std::nullopt);
  EXPECT_EQ(Median({kNan, INFINITY}), std::nullopt);
  EXPECT_EQ(Median({3}), 3);
  EXPECT_EQ(Median({3, 1}), 1);
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({kNan, 4, 3, 1, 2}), 2);
}

}  // namespace
}  // namespace podsim
