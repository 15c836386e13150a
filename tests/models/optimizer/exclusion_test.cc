#include "models/optimizer/exclusion.h"

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

const std::vector<std::string> kNames = {"dense/kernel", "dense/bias",
                                         "layer_1/norm/scale", "out/kernel",
                                         "out/bias"};

TEST(IsExcluded, GoesByTextsInTheName) {
  EXPECT_TRUE(IsExcluded({"bias"}, "dense/bias"));
  EXPECT_TRUE(IsExcluded({"norm", "nse/b"}, "dense/bias"));
  EXPECT_FALSE(IsExcluded({"norm"}, "dense/bias"));
  EXPECT_FALSE(IsExcluded({}, "dense/bias"));
}

TEST(CheckExclusions, OneListServesManyModels) {
  EXPECT_THAT(CheckExclusions({}, kNames), IsOk());
  EXPECT_THAT(CheckExclusions({"bias", "norm"}, kNames), IsOk());
  EXPECT_THAT(CheckExclusions({"bias", "embedding"}, kNames), IsOk());
}

TEST(CheckExclusions, RefusesWhatLeavesOutNothing) {
  const auto refused = [](const std::vector<std::string>& parts,
                          const char* what) {
    EXPECT_THAT(CheckExclusions(parts, kNames),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(what)));
  };
  refused({"embedding"},
          "weight_decay_exclude is embedding but no variable's name contains "
          "embedding; the names are dense/kernel, dense/bias, "
          "layer_1/norm/scale, out/kernel, ...");
  refused({"biass"}, "contains biass; did you mean bias? The names are");
  // Though another part does leave out something.
  refused({"bias", "nrom"}, "contains nrom; did you mean norm?");
}

}  // namespace
}  // namespace podsim
