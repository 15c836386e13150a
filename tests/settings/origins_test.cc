#include "settings/origins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/job.pb.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::Pair;

struct Said {
  const char* message;
  const char* with_origin;
};

TEST(WithOriginTest, TheSettingThatAMessageBeginsWithHasItsPlace) {
  const Origins origins = {{"threads", "PODSIM_THREADS"},
                           {"topology", "k.txt line 3"},
                           {"dataset", "k.txt line 4"}};
  for (const Said& said :
       {Said{"threads is -1; allowed: 0 to 4,096",
             "threads is -1; allowed: 0 to 4,096 (from PODSIM_THREADS)"},
        Said{"--threads is \"x\"; give a whole number",
             "--threads is \"x\"; give a whole number (from PODSIM_THREADS)"},
        Said{"topology: no slice is called 'v3-9'",
             "topology: no slice is called 'v3-9' (from k.txt line 3)"},
        Said{"no data set is called 'mnistt'; known: arrays",
             "no data set is called 'mnistt'; known: arrays (from k.txt line "
             "4)"},
        Said{"topology needs a slice (from k.txt line 3)",
             "topology needs a slice (from k.txt line 3)"},
        Said{"threads 5 does not divide by 4",
             "threads 5 does not divide by 4 (from PODSIM_THREADS)"},
        Said{"no model is called 'mpl'", "no model is called 'mpl'"},
        Said{"keep is -1; allowed: 0 to 5", "keep is -1; allowed: 0 to 5"},
        Said{"threads and processes exclude each other",
             "threads and processes exclude each other"}})
    EXPECT_THAT(WithOrigin(absl::InvalidArgumentError(said.message), origins),
                StatusIs(kInvalid, said.with_origin));
  EXPECT_TRUE(WithOrigin(absl::OkStatus(), origins).ok());
}

TEST(OriginsOfTest, AreTheVariables) {
  EXPECT_THAT(OriginsOf({JobSpec::descriptor()->FindFieldByName("threads")}),
              ElementsAre(Pair("threads", "PODSIM_THREADS")));
}

}  // namespace
}  // namespace podsim
