#include "host/storage/gcs/name.h"

#include <string>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

TEST(GcsName, IsBucketAndObject) {
  ASSERT_OK_AND_ASSIGN(const GcsName name,
                       ParseGcsName("gs://my-bucket/runs/a/200"));
  EXPECT_EQ(name.bucket, "my-bucket");
  EXPECT_EQ(name.object, "runs/a/200");
  EXPECT_EQ(name.prefix(), "runs/a/200/");
  EXPECT_EQ(name.uri(), "gs://my-bucket/runs/a/200");
}

TEST(GcsName, SlashesCountAsInPaths) {
  for (const char* uri :
       {"gs://bucket/a/b", "gs://bucket//a///b/", "GS://bucket/a/b//"}) {
    ASSERT_OK_AND_ASSIGN(const GcsName name, ParseGcsName(uri));
    EXPECT_EQ(name.object, "a/b") << uri;
  }
  for (const char* uri : {"gs://bucket", "gs://bucket/", "gs://bucket//"}) {
    ASSERT_OK_AND_ASSIGN(const GcsName name, ParseGcsName(uri));
    EXPECT_EQ(name.object, "") << uri;
    EXPECT_EQ(name.prefix(), "") << uri;
  }
}

TEST(GcsName, RefusesWhatNoBucketIsCalled) {
  const auto refused = StatusIs(absl::StatusCode::kInvalidArgument,
                                HasSubstr("gs://BUCKET/NAME"));
  for (const char* uri :
       {"gs://", "gs:///x", "gs:/bucket/x", "gs://Bucket/x", "gs://ab/x",
        "gs://-abc/x", "gs://abc-/x", "gs://a b c/x", "gs://user@host/x",
        "gs://bucket:443/x", "s3://bucket/x", "bucket/x"})
    EXPECT_THAT(ParseGcsName(uri), refused) << uri;
}

TEST(GcsName, SaysThatTheBucketIsMissing) {
  for (const char* uri : {"gs://", "gs:///runs/a"})
    EXPECT_THAT(ParseGcsName(uri),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("the bucket's name is missing (a variable "
                                   "of the shell may be empty)")));
}

TEST(GcsName, RefusesWhatNoObjectIsCalled) {
  const auto invalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(ParseGcsName("gs://bucket/a\r\nHost: x"),
              StatusIs(invalid, HasSubstr("line breaks")));
  EXPECT_THAT(ParseGcsName("gs://bucket/" + std::string(1025, 'x')),
              StatusIs(invalid, HasSubstr("1,024")));
  EXPECT_TRUE(ParseGcsName("gs://bucket/" + std::string(1024, 'x')).ok());
}

TEST(PercentEncoded, LeavesOnlyWhatAUrlTakesAsItIs) {
  EXPECT_EQ(PercentEncoded("AZaz09-._~"), "AZaz09-._~");
  EXPECT_EQ(PercentEncoded("a/b c?d#e&f=g+h%"),
            "a%2Fb%20c%3Fd%23e%26f%3Dg%2Bh%25");
  EXPECT_EQ(PercentEncoded("\xc3\xa9\x01"), "%C3%A9%01");
}

}  // namespace
}  // namespace podsim
