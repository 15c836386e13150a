// Slices as containers. That a pod trains in them is docker/test.sh's to show.
#include "runtime/launch/compose_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string FileOf(const std::string& slice) {
  const auto found = FindSlice(slice);
  EXPECT_THAT(found, testing::IsOk());
  return ComposeFile(*found);
}

TEST(ComposeFile, TheOneInTheRepositoryIsOfV3With32Cores) {
  std::ifstream file(PODSIM_SOURCE_DIR "/docker/compose.yaml");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), FileOf("v3-32"))
      << "build/release/bin/pod_launch --print_compose v3-32 "
         "> docker/compose.yaml";
}

TEST(ComposeFile, HasAServicePerHostThatKnowsItsPlaceAndAllNames) {
  const std::string text = FileOf("v3-64");
  EXPECT_THAT(text, HasSubstr("TPU_ACCELERATOR_TYPE: v3-64\n"));
  EXPECT_THAT(text, HasSubstr("- --topology=v3-64\n"));
  EXPECT_THAT(text, HasSubstr("TPU_WORKER_HOSTNAMES: host-0,host-1,host-2,"
                              "host-3,host-4,host-5,host-6,host-7\n"));
  for (int i = 0; i < 8; ++i) {
    EXPECT_THAT(text, HasSubstr(absl::StrCat(
                          "  host-", i,
                          ":\n    <<: *host\n    environment: "
                          "{<<: *host-environment, TPU_WORKER_ID: \"",
                          i, "\"}\n")));
  }
  EXPECT_THAT(text, Not(HasSubstr("host-8")));
}

// A job of its own would be packed into fewer.
TEST(ComposeFile, HasAPlaceForEveryContainer) {
  for (const char* slice : {"v2-8", "v3-32", "v3-128", "v3-512"})
    EXPECT_THAT(FileOf(slice),
                HasSubstr(absl::StrCat(
                    "- --processes=", FindSlice(slice)->hosts, "\n")))
        << slice;
}

TEST(ComposeFile, LeavesNothingToFillIn) {
  for (const char* slice : {"v2-8", "v3-2048"}) {
    const std::string text = FileOf(slice);
    for (const char* hole :
         {"{SLICE}", "{N}", "{HOSTS}", "{NAMES}", "{FILE}", "{I}"}) {
      EXPECT_THAT(text, Not(HasSubstr(hole))) << slice;
    }
  }
  EXPECT_THAT(FileOf("v2-8"), HasSubstr("a coordinator and a host, "));
  EXPECT_THAT(FileOf("v3-2048"), HasSubstr("TPU_WORKER_ID: \"255\""));
}

// Whoever writes it to a directory of his own.
TEST(ComposeFile, FindsTheSourcesFromElsewhereThanDockerToo) {
  const std::string text = FileOf("v3-64");
  EXPECT_THAT(text, HasSubstr("      context: \"${PODSIM_SOURCE:-..}\"\n"));
  EXPECT_THAT(text, HasSubstr("elsewhere than in docker/, say first where they "
                              "are: export PODSIM_SOURCE=DIR\n"));
}

TEST(ComposeFile, HasNoTokenOfItsOwn) {
  EXPECT_THAT(FileOf("v3-32"), HasSubstr("PODSIM_TOKEN: \"${PODSIM_TOKEN:?"));
}

}  // namespace
}  // namespace podsim
