// A host's environment is what a TPU VM of that type would have.
#include "interconnect/topology/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

Slice SliceOf(const char* name) { return *FindSlice(name); }

std::map<std::string, std::string> ByName(const Environment& environment) {
  return {environment.begin(), environment.end()};
}

TEST(EnvironmentTest, V332AsOnTpuVms) {
  ASSERT_OK_AND_ASSIGN(const Environment environment,
                       HostEnvironment(SliceOf("v3-32"), 2, {}));
  const std::map<std::string, std::string> expected = {
      {"TPU_ACCELERATOR_TYPE", "v3-32"},
      {"TPU_TOPOLOGY", "4x4"},
      {"TPU_TOPOLOGY_WRAP", "false,false,false"},
      {"TPU_TOPOLOGY_ALT", "false"},
      {"TPU_HOST_BOUNDS", "2,2,1"},
      {"TPU_CHIPS_PER_HOST_BOUNDS", "2,2,1"},
      {"TPU_PROCESS_BOUNDS", "2,2,1"},
      {"TPU_CHIPS_PER_PROCESS_BOUNDS", "2,2,1"},
      {"TPU_VISIBLE_CHIPS", "0,1,2,3"},
      {"TPU_VISIBLE_DEVICES", "0,1,2,3"},
      {"TPU_SKIP_MDS_QUERY", "true"},
      {"TPU_WORKER_HOSTNAMES", "host-0,host-1,host-2,host-3"},
      {"TPU_PROCESS_ADDRESSES",
       "host-0:8476,host-1:8476,host-2:8476,host-3:8476"},
      {"TPU_PROCESS_PORT", "8476"},
      {"TPU_WORKER_ID", "2"},
      {"CLOUD_TPU_TASK_ID", "2"},
      {"RANK", "2"},
      {"WORLD_SIZE", "4"},
      {"LOCAL_RANK", "0"},
      {"LOCAL_WORLD_SIZE", "1"},
      {"GROUP_RANK", "2"},
      {"MASTER_ADDR", "host-0"},
      {"MASTER_PORT", "29500"},
  };
  EXPECT_EQ(ByName(environment), expected);
  EXPECT_EQ(environment.size(), expected.size()) << "a name is there twice";
}

TEST(EnvironmentTest, GridIsXThenYAndWrapFollowsTheSlice) {
  ASSERT_OK_AND_ASSIGN(const Environment environment,
                       HostEnvironment(SliceOf("v3-1024"), 127, {}));
  auto values = ByName(environment);
  EXPECT_EQ(values["TPU_TOPOLOGY"], "16x32");
  EXPECT_EQ(values["TPU_HOST_BOUNDS"], "8,16,1");
  EXPECT_EQ(values["TPU_TOPOLOGY_WRAP"], "false,true,false");
  EXPECT_EQ(values["TPU_WORKER_ID"], "127");
}

// As a metadata dump of a real v4-256 shows it.
TEST(EnvironmentTest, V4256AsOnTpuVms) {
  ASSERT_OK_AND_ASSIGN(const Environment environment,
                       HostEnvironment(SliceOf("v4-256"), 31, {}));
  auto values = ByName(environment);
  EXPECT_EQ(values["TPU_TOPOLOGY"], "4x4x8");
  EXPECT_EQ(values["TPU_TOPOLOGY_WRAP"], "true,true,true");
  EXPECT_EQ(values["TPU_TOPOLOGY_ALT"], "false");
  EXPECT_EQ(values["TPU_HOST_BOUNDS"], "2,2,8");
  EXPECT_EQ(values["TPU_CHIPS_PER_HOST_BOUNDS"], "2,2,1");
}

TEST(EnvironmentTest, OtherBoardsAndTwists) {
  ASSERT_OK_AND_ASSIGN(const Environment eight,
                       HostEnvironment(SliceOf("v5litepod-8"), 0, {}));
  auto values = ByName(eight);
  EXPECT_EQ(values["TPU_CHIPS_PER_HOST_BOUNDS"], "2,4,1");
  EXPECT_EQ(values["TPU_VISIBLE_CHIPS"], "0,1,2,3,4,5,6,7");
  ASSERT_OK_AND_ASSIGN(
      const Environment twisted,
      HostEnvironment(*FindSlice("v4-256", {.twist = true}), 0, {}));
  EXPECT_EQ(ByName(twisted)["TPU_TOPOLOGY_ALT"], "true");
}

TEST(EnvironmentTest, OneHostIsLocalhost) {
  ASSERT_OK_AND_ASSIGN(const Environment environment,
                       HostEnvironment(SliceOf("v2-8"), 0, {}));
  auto values = ByName(environment);
  EXPECT_EQ(values["TPU_WORKER_HOSTNAMES"], "localhost");
  EXPECT_EQ(values["MASTER_ADDR"], "localhost");
}

TEST(EnvironmentTest, GivenNamesAndPortsAreUsed) {
  const HostAddresses addresses = {
      .hostnames = {"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"},
      .ports = {9001, 9002, 9003, 9004},
      .master_address = "coordinator",
      .master_port = 8476};
  ASSERT_OK_AND_ASSIGN(const Environment environment,
                       HostEnvironment(SliceOf("v3-32"), 1, addresses));
  auto values = ByName(environment);
  EXPECT_EQ(values["TPU_WORKER_HOSTNAMES"],
            "10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4");
  EXPECT_EQ(values["TPU_PROCESS_PORT"], "9002");
  EXPECT_THAT(values["TPU_PROCESS_ADDRESSES"], HasSubstr("10.0.0.4:9004"));
  EXPECT_EQ(values["MASTER_ADDR"], "coordinator");
  EXPECT_EQ(values["MASTER_PORT"], "8476");
}

TEST(EnvironmentTest, RefusesWhatCannotBe) {
  const Slice slice = SliceOf("v3-32");
  EXPECT_THAT(HostEnvironment(slice, 4, {}),
              StatusIs(kInvalid, HasSubstr("hosts 0 to 3")));
  EXPECT_THAT(HostEnvironment(slice, -1, {}),
              StatusIs(kInvalid, HasSubstr("host -1")));
  EXPECT_THAT(HostEnvironment(slice, 0, {.hostnames = {"a", "b"}}),
              StatusIs(kInvalid, HasSubstr("2 host names given for 4 hosts")));
  EXPECT_THAT(HostEnvironment(slice, 0, {.ports = {1}}),
              StatusIs(kInvalid, HasSubstr("1 ports given for 4 hosts")));
  EXPECT_THAT(HostEnvironment(slice, 0, {.ports = {1, 2, 3, 65536}}),
              StatusIs(kInvalid, HasSubstr("65536")));
  for (const char* bad : {"", "a,b", "a:1", "a b"})
    EXPECT_THAT(HostEnvironment(slice, 0, {.hostnames = {"a", "b", "c", bad}}),
                StatusIs(kInvalid, HasSubstr("is no host name")));
}

}  // namespace
}  // namespace podsim
