// What the completions of the programs offer.
#include "runtime/launch/offered_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "settings/programs.h"

namespace podsim {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(OfferedNamesTest, AreOfFlagsThatThereAre) {
  std::set<std::string> flags;
  for (const Flag& flag : FlagsOf(PodLaunch()))
    flags.insert(FlagOf(*flag.field));
  for (const auto& [flag, names] : OfferedByFlags()) {
    EXPECT_THAT(flags, Contains(flag));
    EXPECT_THAT(names, Not(IsEmpty())) << flag;
  }
}

TEST(OfferedNamesTest, AreSlicesModelsDataSetsAndPlaces) {
  const OfferedNames offered = OfferedByFlags();
  EXPECT_THAT(offered.at("topology"), Contains("v3-2048"));
  EXPECT_THAT(offered.at("model"), Contains("mlp"));
  EXPECT_THAT(offered.at("dataset"), Contains("synthetic"));
  EXPECT_THAT(offered.at("zone"), Contains("europe-west4-a"));
  EXPECT_THAT(offered.at("bucket_location"), Contains("nam4"));
  EXPECT_THAT(FormatBashCompletion(PodBench(), offered),
              HasSubstr("--topology|--tpu)\n      mapfile -t COMPREPLY < "
                        "<(compgen -W \"v2-8 v2-32 "));
}

}  // namespace
}  // namespace podsim
