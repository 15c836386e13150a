#include "host/process/host_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::HasSubstr;

TEST(HostOptionsTest, FlagsWinOverEnvironment) {
  ASSERT_OK_AND_ASSIGN(
      const HostOptions options,
      ParseHostOptions({"--coordinator=a:1", "--process=3"},
                       {{"PODSIM_COORDINATOR", "b:2"},
                        {"TPU_WORKER_ID", "1"},
                        {"PODSIM_ICI_LISTEN", "0.0.0.0:8471"}}));
  EXPECT_EQ(options.settings.coordinator(), "a:1");
  EXPECT_EQ(options.settings.process(), 3);
  EXPECT_EQ(options.settings.ici_listen(), "0.0.0.0:8471");
}

TEST(HostOptionsTest, DashesAreUnderscores) {
  ASSERT_OK_AND_ASSIGN(
      const HostOptions options,
      ParseHostOptions({"--coordinator=a:1", "--process=0",
                        "--ici-listen=c-d:4", "--allow-plaintext-network"},
                       {}));
  EXPECT_EQ(options.settings.ici_listen(), "c-d:4");
  EXPECT_TRUE(options.settings.allow_plaintext_network());
}

class ProcessVariableTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ProcessVariableTest, IsRead) {
  ASSERT_OK_AND_ASSIGN(
      const HostOptions options,
      ParseHostOptions({"--coordinator=a:1"}, {{GetParam(), "2"}}));
  EXPECT_EQ(options.settings.process(), 2);
  EXPECT_THAT(
      ParseHostOptions({"--coordinator=a:1"}, {{GetParam(), "x2"}}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Launchers, ProcessVariableTest,
                         ::testing::Values("TPU_WORKER_ID", "SLURM_PROCID",
                                           "OMPI_COMM_WORLD_RANK",
                                           "JOB_COMPLETION_INDEX"));

TEST(HostOptionsTest, SaysWhatIsMissing) {
  EXPECT_THAT(
      ParseHostOptions({"--process=0"}, {}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--coordinator")));
  EXPECT_THAT(
      ParseHostOptions({"--coordinator=a:1"}, {}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("TPU_WORKER_ID")));
  EXPECT_THAT(
      ParseHostOptions({"--coordinater=a:1"}, {}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("coordinater")));
}

HostSettings Process(int index) {
  HostSettings settings;
  settings.set_process(index);
  return settings;
}

TEST(AdvertisedAddressTest, IsWhatPeersCanReach) {
  EXPECT_EQ(AdvertisedAddress(Process(1), "0.0.0.0:8471", "host-0,host-1"),
            "host-1:8471");
  EXPECT_EQ(AdvertisedAddress(Process(1), "unix:/x", "host-0,host-1"),
            "unix:/x");
  EXPECT_EQ(AdvertisedAddress(Process(1), "127.0.0.1:99", ""), "127.0.0.1:99");
  HostSettings settings = Process(1);
  settings.set_ici_advertise("me:7");
  EXPECT_EQ(AdvertisedAddress(settings, "0.0.0.0:8471", "a,b"), "me:7");
}

}  // namespace
}  // namespace podsim::testing
