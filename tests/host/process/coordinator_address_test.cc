#include "host/process/coordinator_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <fstream>

#include "base/unique_fd.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

HostSettings Calling(const std::string& coordinator) {
  HostSettings settings;
  settings.set_coordinator(coordinator);
  settings.set_ici_listen("127.0.0.1:0");
  return settings;
}

TEST(CheckHostAddressesTest, TakesAddressesOfThisMachine) {
  for (const char* address :
       {"unix:/tmp/none.sock", "127.0.0.1:8476", "[::1]:8476"})
    EXPECT_THAT(CheckHostAddresses(Calling(address)), IsOk()) << address;
}

TEST(CheckHostAddressesTest, NamesTheFlagThatIsNoAddress) {
  for (const char* address : {"10.0.0.1", "http://127.0.0.1:8476",
                              "127.0.0.1:99999", "unix:relative.sock"})
    EXPECT_THAT(CheckHostAddresses(Calling(address)),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("--coordinator: "), HasSubstr(address),
                               HasSubstr("give unix:/absolute/path"),
                               Not(HasSubstr("\n")))));
  HostSettings settings = Calling("127.0.0.1:8476");
  settings.set_ici_advertise("node-a");
  EXPECT_THAT(CheckHostAddresses(settings),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--ici_advertise: ")));
  settings.set_ici_listen("eth0");
  EXPECT_THAT(CheckHostAddresses(settings),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--ici_listen: ")));
}

TEST(CheckHostAddressesTest, RefusesPlainTextBeyondThisMachine) {
  EXPECT_THAT(CheckHostAddresses(Calling("10.0.0.1:8476")),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("--coordinator: "),
                             HasSubstr("--allow_plaintext_network"))));
}

TEST(CheckHostAddressesTest, RefusesWhatOnlyListens) {
  for (const char* address : {"0.0.0.0:8476", "[::]:8476"})
    EXPECT_THAT(
        CheckHostAddresses(Calling(address)),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 AllOf(HasSubstr("--coordinator is \""), HasSubstr(address),
                       HasSubstr("an address to listen at, not to call"),
                       HasSubstr("such as 10.0.0.1:8476"))));
  EXPECT_THAT(CheckHostAddresses(Calling("127.0.0.1:0")),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("the port that the coordinator says")));
}

TEST(CheckHostAddressesTest, WhatOthersAreToldCanBeCalled) {
  HostSettings settings = Calling("127.0.0.1:8476");
  for (const char* address : {"0.0.0.0:8471", "127.0.0.1:0"}) {
    settings.set_ici_advertise(address);
    EXPECT_THAT(CheckHostAddresses(settings),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("--ici_advertise is \""),
                               HasSubstr(address), HasSubstr("not to call"))));
  }
  settings.set_ici_advertise("127.0.0.1:8471");
  EXPECT_THAT(CheckHostAddresses(settings), IsOk());
}

// A label that begins with a dash is looked up nowhere.
TEST(CheckHostAddressesTest, RefusesANameThatNobodyKnows) {
  HostSettings settings = Calling("-.-.invalid:8476");
  settings.set_allow_plaintext_network(true);
  EXPECT_THAT(CheckHostAddresses(settings),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("--coordinator is \"-.-.invalid:8476\""),
                             HasSubstr("does not resolve"))));
}

TEST(CheckSomebodyListensTest, TellsWhereNobodyDoes) {
  const TempDir dir;
  EXPECT_THAT(CheckSomebodyListens("unix:" + dir.file("c.sock")),
              StatusIs(absl::StatusCode::kNotFound, "there is no such socket"));
  EXPECT_THAT(CheckSomebodyListens("127.0.0.1:1"),
              StatusIs(absl::StatusCode::kNotFound, "nobody listens there"));
  EXPECT_THAT(CheckSomebodyListens("-.-.invalid:1"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("not found")));
  const UniqueFd fd(socket(AF_UNIX, SOCK_STREAM, 0));
  const std::string path = dir.file("c.sock");
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, path.data(), path.size());
  ASSERT_EQ(bind(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)),
            0);
  ASSERT_EQ(listen(fd.get(), 1), 0);
  EXPECT_THAT(CheckSomebodyListens("unix:" + path), IsOk());
}

TEST(WhyNoAnswerTest, TellsWhatIsThere) {
  const TempDir dir;
  const std::string path = dir.file("c.sock");
  EXPECT_EQ(WhyNoAnswer("unix:" + path), "there is no such socket");
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, path.data(), path.size());
  const UniqueFd fd(socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(bind(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)),
            0);
  EXPECT_EQ(WhyNoAnswer("unix:" + path), "nobody listens there");
  ASSERT_EQ(listen(fd.get(), 1), 0);
  EXPECT_THAT(WhyNoAnswer("unix:" + path), HasSubstr("no coordinator yet"));
  EXPECT_EQ(WhyNoAnswer("127.0.0.1:1"), "nobody listens there");
}

}  // namespace
}  // namespace podsim
