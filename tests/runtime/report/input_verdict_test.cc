// The profiler's words at its thresholds.
#include "runtime/report/input_verdict.h"

#include <gtest/gtest.h>

#include <optional>

namespace podsim {
namespace {

TEST(InputVerdictTest, TurnsAtTheProfilersThresholds) {
  EXPECT_STREQ(InputVerdict(0), "NOT input-bound");
  EXPECT_STREQ(InputVerdict(0.0499), "NOT input-bound");
  EXPECT_STREQ(InputVerdict(0.05), "MODERATELY input-bound");
  EXPECT_STREQ(InputVerdict(0.1999), "MODERATELY input-bound");
  EXPECT_STREQ(InputVerdict(0.2), "HIGHLY input-bound");
  EXPECT_STREQ(InputVerdict(1), "HIGHLY input-bound");
}

TEST(InputVerdictTest, IsOfBothClocks) {
  EXPECT_EQ(InputVerdictText(0.01, 0.04, /*percents=*/false),
            "NOT input-bound sim and wall");
  EXPECT_EQ(InputVerdictText(0.3, 0.04, /*percents=*/false),
            "HIGHLY input-bound sim, NOT input-bound wall");
  EXPECT_EQ(InputVerdictText(0.01, 0.04, /*percents=*/true),
            "NOT input-bound sim (1.0%), NOT input-bound wall (4.0%)");
  EXPECT_EQ(InputVerdictText(std::nullopt, 0.1, /*percents=*/false),
            "MODERATELY input-bound wall");
}

}  // namespace
}  // namespace podsim
