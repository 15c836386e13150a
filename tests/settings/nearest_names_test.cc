#include "settings/nearest_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NearestNamesTest, NearestFirstAndNoStrangers) {
  const std::vector<std::string> names = {
      "seed", "model", "epochs", "hidden", "train_steps", "train_batch_size"};
  EXPECT_THAT(NearestNames("sede", names), ElementsAre("seed"));
  EXPECT_THAT(NearestNames("epoch", names), ElementsAre("epochs"));
  EXPECT_THAT(NearestNames("train", names),
              ElementsAre("train_steps", "train_batch_size"));
  EXPECT_THAT(NearestNames("zzz", names), IsEmpty());
}

}  // namespace
}  // namespace podsim
