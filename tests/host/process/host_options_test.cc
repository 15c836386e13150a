#include "host/process/host_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::HasSubstr;

Environment From(std::map<std::string, std::string> values) {
  return [values = std::move(values)](
             const std::string& name) -> std::optional<std::string> {
    const auto it = values.find(name);
    if (it == values.end()) return std::nullopt;
    return it->second;
  };
}

TEST(HostOptionsTest, FlagsWinOverEnvironment) {
  ASSERT_OK_AND_ASSIGN(
      const HostOptions options,
      ParseHostOptions({"--coordinator=a:1", "--process=3"},
                       From({{"PODSIM_COORDINATOR", "b:2"},
                             {"TPU_WORKER_ID", "1"},
                             {"PODSIM_ICI_LISTEN", "0.0.0.0:8471"}})));
  EXPECT_EQ(options.coordinator, "a:1");
  EXPECT_EQ(options.process, 3);
  EXPECT_EQ(options.ici_listen, "0.0.0.0:8471");
}

TEST(HostOptionsTest, DashesAreUnderscores) {
  ASSERT_OK_AND_ASSIGN(
      const HostOptions options,
      ParseHostOptions({"--coordinator=a:1", "--process=0",
                        "--ici-listen=c-d:4", "--allow-plaintext-network"},
                       From({})));
  EXPECT_EQ(options.ici_listen, "c-d:4");
  EXPECT_TRUE(options.allow_plaintext_network);
}

class ProcessVariableTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ProcessVariableTest, IsRead) {
  ASSERT_OK_AND_ASSIGN(
      const HostOptions options,
      ParseHostOptions({"--coordinator=a:1"}, From({{GetParam(), "2"}})));
  EXPECT_EQ(options.process, 2);
  EXPECT_THAT(
      ParseHostOptions({"--coordinator=a:1"}, From({{GetParam(), "x2"}})),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Launchers, ProcessVariableTest,
                         ::testing::Values("TPU_WORKER_ID", "SLURM_PROCID",
                                           "OMPI_COMM_WORLD_RANK",
                                           "JOB_COMPLETION_INDEX"));

TEST(HostOptionsTest, SaysWhatIsMissing) {
  EXPECT_THAT(
      ParseHostOptions({"--process=0"}, From({})),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--coordinator")));
  EXPECT_THAT(
      ParseHostOptions({"--coordinator=a:1"}, From({})),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("TPU_WORKER_ID")));
  EXPECT_THAT(
      ParseHostOptions({"--coordinater=a:1"}, From({})),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("coordinater")));
}

TEST(AdvertisedAddressTest, IsWhatPeersCanReach) {
  EXPECT_EQ(AdvertisedAddress({.process = 1}, "0.0.0.0:8471", "host-0,host-1"),
            "host-1:8471");
  EXPECT_EQ(AdvertisedAddress({.process = 1}, "unix:/x", "host-0,host-1"),
            "unix:/x");
  EXPECT_EQ(AdvertisedAddress({.process = 1}, "127.0.0.1:99", ""),
            "127.0.0.1:99");
  EXPECT_EQ(AdvertisedAddress({.process = 1, .ici_advertise = "me:7"},
                              "0.0.0.0:8471", "a,b"),
            "me:7");
}

}  // namespace
}  // namespace podsim::testing
