#include "job/repeats.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

TEST(RepeatsTest, TheEndIsOneOfThem) {
  EXPECT_EQ(RepeatsIn(100, 0), 1);
  EXPECT_EQ(RepeatsIn(100, 10), 10);
  EXPECT_EQ(RepeatsIn(101, 10), 11);
  EXPECT_EQ(RepeatsIn(9, 10), 1);
  EXPECT_EQ(RepeatsIn(10, 10), 1);
}

}  // namespace
}  // namespace podsim
