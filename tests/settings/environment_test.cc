#include "settings/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(EnvironmentTest, IsThatOfTheProcess) {
  setenv("PODSIM_OF_THIS_TEST", "a=b", /*overwrite=*/1);
  EXPECT_EQ(Find(ProcessVariables(), "PODSIM_OF_THIS_TEST"), "a=b");
  EXPECT_EQ(Find(ProcessVariables(), "PODSIM_OF_NO_TEST"), std::nullopt);
}

TEST(UnknownVariablesTest, NameTheNearest) {
  EXPECT_THAT(
      UnknownVariables({{"PODSIM_TOPOLGY", "v3-8"},
                        {"PODSIM_QQQQQQQQ", ""},
                        {"PODSIM_BATCH_SIZE", "8"},
                        {"OTHER", ""}}),
      ElementsAre("PODSIM_BATCH_SIZE is no setting and is ignored; did you "
                  "mean PODSIM_TRAIN_BATCH_SIZE?",
                  "PODSIM_QQQQQQQQ is no setting and is ignored; "
                  "--help lists them",
                  "PODSIM_TOPOLGY is no setting and is ignored; did "
                  "you mean PODSIM_TOPOLOGY?"));
}

TEST(UnknownVariablesTest, ThoseOfEveryProgramAreKnown) {
  EXPECT_THAT(UnknownVariables({{"PODSIM_TOPOLOGY", ""},
                                {"PODSIM_MINBYTES", ""},
                                {"PODSIM_ICI_LISTEN", ""},
                                {"PODSIM_TOKEN", ""},
                                {"PODSIM_GCS_CREDENTIALS", ""},
                                {"PODSIM_KERNEL_DIR", ""},
                                {"PODSIM_SOURCE", ""},
                                {"PODSIM", ""},
                                {"PODSIMS", ""}}),
              IsEmpty());
}

}  // namespace
}  // namespace podsim
