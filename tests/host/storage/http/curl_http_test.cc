// What a message says of where a request went.
#include "host/storage/http/http.h"
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

}  // namespace
}  // namespace podsim
