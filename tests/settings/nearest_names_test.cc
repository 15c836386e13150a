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
  for (const char* typed : {"train_step", "train_stepz"})
    EXPECT_THAT(NearestNames(typed, {"trace_steps", "train_steps"}),
                ElementsAre("train_steps"));
}

TEST(DidYouMeanTest, IsAQuestionOrNothing) {
  const std::vector<std::string> names = {"lenet5", "lenet5_bn", "mlp"};
  EXPECT_EQ(DidYouMean("lenet", names), "; did you mean lenet5 or lenet5_bn?");
  EXPECT_EQ(DidYouMean("MLP", names), "; did you mean mlp?");
  EXPECT_EQ(DidYouMean("transformer", names), "");
  EXPECT_EQ(DidYouMean(std::string(1 << 20, 'l'), names), "");
}

}  // namespace
}  // namespace podsim
