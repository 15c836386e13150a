#include "chip/frontier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::vector<std::pair<ChipValueId, double>> SharesOf(const Frontier& frontier) {
  std::vector<std::pair<ChipValueId, double>> shares;
  ForTensors(frontier, [&](ChipValueId value, double share) {
    shares.emplace_back(value, share);
  });
  return shares;
}

TEST(FrontierTest, JoinsInOrderEachOnce) {
  const Frontier both = Joined(Joined(Itself(7), Itself(2)), Itself(7));
  EXPECT_THAT(SharesOf(both), ElementsAre(Pair(2, 1), Pair(7, 1)));
  EXPECT_EQ(Joined({}, both), both);
}

TEST(FrontierTest, SlicesOfOneTensorAddUp) {
  const Frontier x = Itself(3);
  const Frontier first = PartOf(x, /*slice=*/10, 0.25);
  const Frontier second = PartOf(x, /*slice=*/11, 0.5);
  // The same slice twice is read once.
  EXPECT_THAT(SharesOf(Joined(first, first)), ElementsAre(Pair(3, 0.25)));
  EXPECT_THAT(SharesOf(Joined(first, second)), ElementsAre(Pair(3, 0.75)));
  EXPECT_THAT(SharesOf(Joined(Joined(first, second), x)),
              ElementsAre(Pair(3, 1)));
  // A slice of a slice.
  EXPECT_THAT(SharesOf(PartOf(second, 12, 0.5)), ElementsAre(Pair(3, 0.25)));
  EXPECT_EQ(TensorsIn(Joined(first, second)), 1U);
}

TEST(FrontierTest, IsWithinAsksForTensors) {
  const Frontier two = Joined(Itself(1), Itself(5));
  EXPECT_TRUE(IsWithin(PartOf(Itself(5), 9, 0.5), two));
  EXPECT_TRUE(IsWithin({}, two));
  EXPECT_FALSE(IsWithin(two, Itself(5)));
}

}  // namespace
}  // namespace podsim
