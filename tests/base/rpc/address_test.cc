// Addresses: what parses, what is local, what plain text may reach.
#include "base/rpc/address.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/rpc/security.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(AddressTest, ReadsUnixPaths) {
  ASSERT_OK_AND_ASSIGN(const Address address, ParseAddress("unix:/tmp/a b:1"));
  EXPECT_TRUE(address.is_unix());
  EXPECT_EQ(address.path, "/tmp/a b:1");
  EXPECT_EQ(address.ToString(), "unix:/tmp/a b:1");
}

TEST(AddressTest, ATargetSurvivesDecoding) {
  ASSERT_OK_AND_ASSIGN(const Address odd, ParseAddress("unix:/t%41/a b#?.s"));
  EXPECT_EQ(odd.Target(), "unix:/t%2541/a%20b%23%3f.s");
  ASSERT_OK_AND_ASSIGN(const Address port, ParseAddress("[::1]:80"));
  EXPECT_EQ(port.Target(), "[::1]:80");
}

TEST(AddressTest, ReadsHostAndPort) {
  ASSERT_OK_AND_ASSIGN(const Address address, ParseAddress("host-1.pod:8470"));
  EXPECT_FALSE(address.is_unix());
  EXPECT_EQ(address.host, "host-1.pod");
  EXPECT_EQ(address.port, 8470);
  EXPECT_EQ(address.ToString(), "host-1.pod:8470");
}

TEST(AddressTest, ReadsIpv6InBrackets) {
  ASSERT_OK_AND_ASSIGN(const Address address, ParseAddress("[::1]:0"));
  EXPECT_EQ(address.host, "::1");
  EXPECT_EQ(address.ToString(), "[::1]:0");
}

class BadAddressTest : public ::testing::TestWithParam<const char*> {};

TEST_P(BadAddressTest, IsRefusedByName) {
  EXPECT_THAT(ParseAddress(GetParam()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr(GetParam()), HasSubstr("host:port"))));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadAddressTest,
    ::testing::Values("", "host", ":1", "host:", "host:x", "host:-1", "host: 1",
                      "host:65536", "host:123456", "unix:", "unix:relative",
                      "::1:80", "[::1:80", "[]:80", "[", "]:1", "[host]:80",
                      "ho st:1", "http://host:80"));

TEST(AddressTest, WhatIsNearlyAnAddressIsOfferedAsOne) {
  const std::pair<const char*, const char*> offered[] = {
      {"10.0.0.1", "has no port, as in 10.0.0.1:8476;"},
      {"8476", "has no host, as in 127.0.0.1:8476;"},
      {"::1:80", "stands in brackets, as in [::1]:80;"},
      {"tcp://host:80", "\"tcp://\" does not belong there, as in host:80;"}};
  for (const auto& [text, instead] : offered)
    EXPECT_THAT(ParseAddress(text), StatusIs(absl::StatusCode::kInvalidArgument,
                                             HasSubstr(instead)));
}

TEST(AddressTest, UnixPathsFitTheSocketAddress) {
  const std::string longest = "unix:/" + std::string(kMaxUnixPath - 1, 'x');
  EXPECT_THAT(ParseAddress(longest), IsOk());
  EXPECT_THAT(ParseAddress(longest + "x"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("108 bytes"), HasSubstr("107"))));
}

TEST(AddressTest, LocalIsWhatStaysOnThisMachine) {
  for (const char* local :
       {"unix:/x", "localhost:1", "127.0.0.1:1", "127.9.8.7:1", "[::1]:1"}) {
    EXPECT_TRUE(ParseAddress(local)->IsLocal()) << local;
  }
  for (const char* remote :
       {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "host:1", "127.0.0.1.evil.com:1",
        "localhost.evil.com:1", "128.0.0.1:1", "[::2]:1", "127.1:1"}) {
    EXPECT_FALSE(ParseAddress(remote)->IsLocal()) << remote;
  }
}

TEST(SecurityTest, PlainTextBeyondTheMachineMustBeSpelledOut) {
  const RpcSecurity strict{.token = "t"};
  const RpcSecurity open{.token = "t", .allow_plaintext_network = true};
  EXPECT_THAT(CheckPlaintextAllowed("unix:/x", strict), IsOk());
  EXPECT_THAT(CheckPlaintextAllowed("127.0.0.1:0", strict), IsOk());
  EXPECT_THAT(CheckPlaintextAllowed("10.0.0.1:8470", open), IsOk());
  EXPECT_THAT(CheckPlaintextAllowed("10.0.0.1:8470", strict),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("10.0.0.1:8470"),
                             HasSubstr("--allow_plaintext_network"))));
  EXPECT_THAT(CheckPlaintextAllowed("nonsense", open),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("port")));
}

}  // namespace
}  // namespace podsim
