#include "host/train/tally.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace podsim {
namespace {

TEST(TallyTest, WeighsLossesAndSkipsRowsWithoutAnExample) {
  const std::vector<float> loss = {2, 4, 8};
  const std::vector<float> correct = {1, 1, 0};
  const std::vector<float> weights = {0.5F, 0, 0.25F};
  Tally tally;
  tally.Count({loss, correct, weights}, 0);
  tally.Count({loss, correct, weights}, 3);
  EXPECT_EQ(tally.loss, 2 * (1 + 2));
  EXPECT_EQ(tally.correct, 2);
  EXPECT_EQ(tally.examples, 4);
  EXPECT_EQ(tally.bad_row, -1);
}

TEST(TallyTest, NamesTheFirstRowThatIsNotFinite) {
  const float bad = std::numeric_limits<float>::infinity();
  const std::vector<float> good = {1, 1};
  const std::vector<float> loss = {1, bad};
  const std::vector<float> worse = {std::nanf(""), bad};
  Tally tally;
  tally.Count({good, good, good}, 0);
  tally.Count({loss, good, good}, 2);
  tally.Count({worse, good, good}, 4);
  EXPECT_EQ(tally.bad_row, 3);
  EXPECT_EQ(tally.bad_loss, bad);
}

TEST(TallyTest, ABadLossWithoutAnExampleDoesNotCount) {
  const std::vector<float> loss = {std::nanf("")};
  const std::vector<float> none = {0};
  Tally tally;
  tally.Count({loss, none, none}, 0);
  EXPECT_EQ(tally.bad_row, -1);
  EXPECT_EQ(tally.examples, 0);
}

}  // namespace
}  // namespace podsim
