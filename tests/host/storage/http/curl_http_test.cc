// What a message says of where a request went, and which go to a proxy.
#include <cstdlib>
#include <string>

#include "host/storage/http/http.h"
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
  EXPECT_EQ(proxy.requests(), 0);
  EXPECT_TRUE(http->Send({.url = "http://bucket.invalid/x"}).ok());
  EXPECT_EQ(proxy.requests(), 1);
  unsetenv("http_proxy");
}

}  // namespace
}  // namespace podsim
