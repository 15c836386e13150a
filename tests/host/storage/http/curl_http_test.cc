// What a message says of where a request went, and which go to a proxy.
#include <cstdlib>
#include <string>

#include "host/storage/http/failure.h"
#include "host/storage/http/http.h"
#include "tests/testing/bad_server.h"
#include "tests/testing/gcs/gcs_server.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(CurlHttp, AMessageHasTheHostAndNoPassword) {
  const auto http = NewCurlHttp({});
  // Nothing listens there.
  for (const char* url :
       {"http://localhost:1/o?token=secret", "http://user:secret@localhost:1/o",
        "http://secret@localhost:1?x=@y"})
    EXPECT_THAT(http->Send({.url = url}),
                StatusIs(absl::StatusCode::kUnavailable,
                         AllOf(StartsWith("http://localhost:1: "),
                               Not(HasSubstr("secret")))))
        << url;
  EXPECT_THAT(http->Send({.url = "ftp://user:secret@localhost/x"}),
              StatusIs(kInvalid, AllOf(StartsWith("ftp://localhost: "),
                                       Not(HasSubstr("secret")))));
}

// It would see the token that is meant for a store on this machine.
TEST(CurlHttp, WhatIsForThisMachineGoesToNoProxy) {
  testing::GcsServer proxy;
  testing::GcsServer store;
  setenv("http_proxy", proxy.endpoint().c_str(), /*overwrite=*/1);
  unsetenv("no_proxy");
  const auto http = NewCurlHttp({});
  const std::string port = store.endpoint().substr(store.endpoint().rfind(':'));
  for (const std::string host : {"127.0.0.1", "localhost", "LOCALHOST"})
    EXPECT_TRUE(http->Send({.url = "http://" + host + port + "/x"}).ok())
        << host;
  EXPECT_EQ(store.requests(), 3);
  // This machine's other name, which only the caller knows.
  EXPECT_FALSE(
      http->Send({.url = "http://metadata.invalid/x", .without_proxy = true})
          .ok());
  EXPECT_EQ(proxy.requests(), 0);
  EXPECT_TRUE(http->Send({.url = "http://bucket.invalid/x"}).ok());
  EXPECT_EQ(proxy.requests(), 1);
  unsetenv("http_proxy");
}

TEST(CurlHttp, NoExchangeIsWithoutAnEnd) {
  const testing::BadServer silent(testing::BadServer::Way::kSilent);
  const auto http = NewCurlHttp(
      {.grace = absl::Milliseconds(100), .slowest_bytes_per_second = 65536});
  EXPECT_THAT(
      http->Send({.url = silent.endpoint(), .within = absl::Milliseconds(50)}),
      StatusIs(absl::StatusCode::kDeadlineExceeded,
               HasSubstr("no answer within 50ms")));
  EXPECT_THAT(http->Send({.url = silent.endpoint(),
                          .watch = [](std::int64_t) { return false; }}),
              StatusIs(absl::StatusCode::kCancelled,
                       HasSubstr("not waited for any longer")));
  // Each byte comes soon enough, all of them never do.
  const testing::BadServer drips(testing::BadServer::Way::kDrips);
  EXPECT_THAT(http->Send({.url = drips.endpoint(), .most_bytes = 1 << 20}),
              StatusIs(absl::StatusCode::kUnavailable,
                       HasSubstr("fewer than 65536 bytes a second")));
}

TEST(CurlHttp, AWatchSeesTheBytesThatMove) {
  testing::GcsServer store;
  std::int64_t moved = -1;
  ASSERT_TRUE(NewCurlHttp({})
                  ->Send({.url = store.endpoint() + "/x",
                          .watch =
                              [&](std::int64_t bytes) {
                                moved = bytes;
                                return true;
                              }})
                  .ok());
  EXPECT_GT(moved, 0);
}

TEST(CurlHttp, AHostThatDoesNotExistIsNoMatterOfMinutes) {
  const absl::Status status =
      NewCurlHttp({})->Send({.url = "http://storage.invalid/x"}).status();
  EXPECT_THAT(std::string(status.message()),
              StartsWith("http://storage.invalid: "));
  // Where no name server answers, it may exist.
  EXPECT_NE(MendingOf(status, false), Mending::kLater) << status;
}

TEST(CurlHttp, TrustsTheCertificatesThatItIsGiven) {
  testing::GcsServer store;
  const std::string https = "https" + store.endpoint().substr(4) + "/x";
  const absl::Status status = NewCurlHttp({.certificates = "/nowhere/ca.pem"})
                                  ->Send({.url = https})
                                  .status();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable,
                               AllOf(HasSubstr("/nowhere/ca.pem"),
                                     HasSubstr("SSL_CERT_FILE"))));
  EXPECT_EQ(MendingOf(status, false), Mending::kNever);
}

}  // namespace
}  // namespace podsim
