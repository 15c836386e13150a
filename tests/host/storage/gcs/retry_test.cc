#include "host/storage/gcs/retry.h"

#include <cstdint>

#include "host/storage/gcs/safe_url.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

constexpr std::uint64_t kLowest = 0;
constexpr std::uint64_t kHighest = ~std::uint64_t{0};

TEST(BackOff, DoublesUpToItsLongest) {
  const RetryLimits limits{.first = absl::Seconds(1),
                           .longest = absl::Seconds(8)};
  const absl::Duration none;
  for (const auto& [attempt, seconds] :
       {std::pair{1, 1}, {2, 2}, {3, 4}, {4, 8}, {5, 8}, {1000, 8}}) {
    const absl::Duration most = absl::Seconds(seconds);
    EXPECT_EQ(BackOff(limits, attempt, kLowest, none), most / 2) << attempt;
    const absl::Duration high = BackOff(limits, attempt, kHighest, none);
    EXPECT_LE(high, most) << attempt;
    EXPECT_GT(high, most * 0.999) << attempt;
  }
}

TEST(BackOff, WaitsAsLongAsTheStoreAskedForWithinBounds) {
  const RetryLimits limits{.first = absl::Seconds(1),
                           .longest = absl::Seconds(8)};
  EXPECT_EQ(BackOff(limits, 1, kLowest, absl::Seconds(5)), absl::Seconds(5));
  EXPECT_EQ(BackOff(limits, 1, kLowest, absl::Hours(5)), absl::Seconds(8));
  EXPECT_EQ(BackOff(limits, 4, kLowest, absl::Seconds(1)), absl::Seconds(4));
}

TEST(IsTransient, IsWhatTheDocumentationListsAndNoMore) {
  for (const int status : {408, 429, 500, 502, 503, 504})
    EXPECT_TRUE(IsTransient(status)) << status;
  for (const int status : {200, 308, 400, 401, 403, 404, 409, 412, 416, 501})
    EXPECT_FALSE(IsTransient(status)) << status;
}

TEST(MayCarrySecret, OnlyWhereItIsEncryptedOrStaysHere) {
  for (const char* url :
       {"https://storage.googleapis.com/x", "https://10.0.0.1",
        "http://127.0.0.1:9000/x", "http://localhost",
        "http://localhost:4443/x", "http://[::1]:80/x", "http://127.8.8.8"})
    EXPECT_TRUE(MayCarrySecret(url)) << url;
  for (const char* url :
       {"http://storage.googleapis.com", "http://127.evil.com/",
        "ftp://localhost", "http://localhost.evil.com",
        "http://localhost@evil.com/", "localhost", "http://127.0.0.1@evil.com",
        "", "http://", "http://[::2]/", "http://localhost:80@evil.com/"})
    EXPECT_FALSE(MayCarrySecret(url)) << url;
}

TEST(SameOrigin, SchemeHostAndPort) {
  EXPECT_TRUE(SameOrigin("https://a/x", "https://a"));
  EXPECT_TRUE(SameOrigin("http://a:1/x?y", "http://a:1/z"));
  EXPECT_FALSE(SameOrigin("http://a:1", "http://a:2"));
  EXPECT_FALSE(SameOrigin("http://a", "https://a"));
  EXPECT_FALSE(SameOrigin("https://a.evil", "https://a"));
  EXPECT_FALSE(SameOrigin("https://a@evil/", "https://a"));
  EXPECT_FALSE(SameOrigin("", ""));
}

}  // namespace
}  // namespace podsim
