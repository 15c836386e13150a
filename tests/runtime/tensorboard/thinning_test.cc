#include "runtime/tensorboard/thinning.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

constexpr double kFirstBegin = 1.7e9;  // seconds since 1970

// How many of `steps` are taken that come `apart` seconds one after the other.
std::int64_t Taken(std::int64_t steps, double apart) {
  StepThinning thinning;
  std::int64_t taken = 0;
  for (std::int64_t step = 1; step <= steps; ++step)
    taken +=
        thinning.Take(step, kFirstBegin + apart * static_cast<double>(step));
  return taken;
}

TEST(StepThinningTest, AShortRunHasAllItsSteps) {
  EXPECT_EQ(Taken(1000, 1e-4), 1000);
  EXPECT_EQ(Taken(9000, 2), 9000);
}

TEST(StepThinningTest, FastStepsAreTakenOnceASecond) {
  StepThinning thinning;
  for (int step = 1; step <= 1000; ++step)
    ASSERT_TRUE(thinning.Take(step, kFirstBegin + 1e-4 * step)) << step;
  EXPECT_FALSE(thinning.Take(1001, kFirstBegin + 0.1001));
  EXPECT_FALSE(thinning.Take(1002, kFirstBegin + 0.5));
  EXPECT_TRUE(thinning.Take(1003, kFirstBegin + 1.5));
  EXPECT_FALSE(thinning.Take(1004, kFirstBegin + 1.6));
  // 1,000 s: 1,000 at once, then one a second.
  const std::int64_t taken = Taken(100'000, 0.01);
  EXPECT_GE(taken, 1990);
  EXPECT_LE(taken, 2001);
}

// Counted by a loop over the rule: a step is taken when it is at least the last
// one's number / 10,000 behind it.
TEST(StepThinningTest, LongRunsAreThinned) {
  EXPECT_EQ(Taken(20'000, 2), 20'000);
  EXPECT_EQ(Taken(100'000, 2), 38'290);
  EXPECT_EQ(Taken(200'000, 2), 45'478);
}

TEST(StepThinningTest, StepsThatComeAgainAreTaken) {
  StepThinning thinning;
  for (int step = 1; step <= 5; ++step)
    ASSERT_TRUE(thinning.Take(step, kFirstBegin + step));
  for (int step = 3; step <= 6; ++step)
    EXPECT_TRUE(thinning.Take(step, kFirstBegin + 3 + step));
}

// Clocks of two generations' coordinators may differ.
TEST(StepThinningTest, AClockThatGoesBackEarnsNothing) {
  StepThinning thinning;
  for (int step = 1; step <= 1000; ++step)
    ASSERT_TRUE(thinning.Take(step, kFirstBegin));
  EXPECT_FALSE(thinning.Take(1001, kFirstBegin - 100));
  EXPECT_FALSE(thinning.Take(1002, kFirstBegin));
  EXPECT_TRUE(thinning.Take(1003, kFirstBegin + 1));
}

}  // namespace
}  // namespace podsim
