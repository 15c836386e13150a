#include "runtime/report/line_parts.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

TEST(FitPartsTest, TheLeastImportantGoesFirst) {
  const std::vector<LinePart> parts = {{.text = "step 1/2", .rank = 3},
                                       {.text = "loss 0.5", .rank = 1},
                                       {.text = "ETA 1s", .rank = 2}};
  EXPECT_EQ(FitParts(parts, 0), "step 1/2  loss 0.5  ETA 1s");
  EXPECT_EQ(FitParts(parts, 26), "step 1/2  loss 0.5  ETA 1s");
  EXPECT_EQ(FitParts(parts, 25), "step 1/2  ETA 1s");
  EXPECT_EQ(FitParts(parts, 15), "step 1/2");
  EXPECT_EQ(FitParts(parts, 3), "step 1/2");
}

}  // namespace
}  // namespace podsim
