#include "settings/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "absl/strings/str_cat.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(EnvironmentTest, IsThatOfTheProcess) {
  setenv("PODSIM_OF_THIS_TEST", "a=b", /*overwrite=*/1);
  EXPECT_EQ(Find(ProcessVariables(), "PODSIM_OF_THIS_TEST"), "a=b");
  EXPECT_EQ(Find(ProcessVariables(), "PODSIM_OF_NO_TEST"), std::nullopt);
}

TEST(UnknownVariablesTest, ThoseThatAreNoSlipAreToldAsIgnored) {
  EXPECT_THAT(
      UnknownVariables({{"PODSIM_TOPOLGY", "v3-8"},
                        {"PODSIM_QQQQQQQQ", ""},
                        {"PODSIM_STORE_SCHEDULES", ""},
                        {"OTHER", ""}}),
      ElementsAre("PODSIM_QQQQQQQQ is no setting and is ignored; unset it, "
                  "or name a flag that --help=all lists, as PODSIM_TOPOLOGY "
                  "names --topology",
                  "PODSIM_STORE_SCHEDULES is no setting and is ignored; did "
                  "you mean PODSIM_LR_SCHEDULE?"));
}

struct Slip {
  const char* typed;
  const char* meant;
};

TEST(CheckVariableNamesTest, ANameNearASettingsIsRefused) {
  for (const Slip& slip : {Slip{"PODSIM_LEARNINGRATE", "PODSIM_LEARNING_RATE"},
                           Slip{"PODSIM_TOPOLGY", "PODSIM_TOPOLOGY"},
                           Slip{"PODSIM_Topology", "PODSIM_TOPOLOGY"},
                           Slip{"PODSIM_BATCH_SIZE", "PODSIM_TRAIN_BATCH_SIZE"},
                           Slip{"PODSIM_TOKENS", "PODSIM_TOKEN"}})
    EXPECT_THAT(
        CheckVariableNames({{"OTHER", ""}, {slip.typed, "1"}}),
        StatusIs(kInvalid,
                 AllOf(HasSubstr(absl::StrCat("the environment has ",
                                              slip.typed, ", ")),
                       HasSubstr(absl::StrCat("did you mean ", slip.meant)),
                       HasSubstr(absl::StrCat("unset ", slip.typed)))));
}

// Of scripts, tests and builds around podsim.
TEST(CheckVariableNamesTest, OtherNamesPass) {
  for (const char* name :
       {"PODSIM_QQQQQQQQ", "PODSIM_BIN", "PODSIM_SOURCE", "PODSIM_KILL_FIRST",
        "PODSIM_KILL_RUNS", "PODSIM_KILL_SEED", "PODSIM_PAIR_RUNS",
        "PODSIM_STOP_RUNS", "PODSIM_STORE_SCHEDULES", "PODSIM_STORE_SEED",
        "PODSIM_FUZZ_SEED", "PODSIM_BUSY", "PODSIM_HOME", "PODSIM_VERSION"})
    EXPECT_THAT(CheckVariableNames({{name, "1"}}), IsOk()) << name;
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
