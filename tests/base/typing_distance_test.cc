#include "base/typing_distance.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

TEST(TypingDistanceTest, CountsSlips) {
  EXPECT_EQ(TypingDistance("", ""), 0);
  EXPECT_EQ(TypingDistance("", "abc"), 3);
  EXPECT_EQ(TypingDistance("kitten", "sitting"), 3);
  EXPECT_EQ(TypingDistance("sede", "seed"), 1);  // a swap
  EXPECT_EQ(TypingDistance("log-dir", "log_dir"), 0);
}

TEST(TypingDistanceTest, ASwapMayCountAsTwo) {
  EXPECT_EQ(TypingDistance("v3-23", "v3-32", 2), 2);
  EXPECT_EQ(TypingDistance("v3-23", "v3-32"), 1);
}

}  // namespace
}  // namespace podsim
