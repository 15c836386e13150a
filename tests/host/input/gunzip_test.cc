#include "host/input/gunzip.h"

#include <string>

#include "tests/host/input/gzip_bytes.h"
#include "tests/host/input/idx_bytes.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Gzip;
using ::podsim::testing::Mutated;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kFile[] = "/data/file.gz";
constexpr std::int64_t kAmple = 1 << 24;

std::string Noise(std::size_t length) {
  std::string bytes;
  for (std::size_t i = 0; i < length; ++i)
    bytes += static_cast<char>(Philox(7, i, 0)[0]);
  return bytes;
}

TEST(Gunzip, GivesBackWhatWasPacked) {
  for (const std::size_t length : {0, 1, 17, 1000, 100'000}) {
    const std::string bytes = Noise(length);
    ASSERT_OK_AND_ASSIGN(const std::string out,
                         Gunzip(Gzip(bytes), kAmple, kFile));
    EXPECT_EQ(out, bytes);
  }
  const std::string zeros(3'000'001, '\0');  // more than one piece
  ASSERT_OK_AND_ASSIGN(const std::string out,
                       Gunzip(Gzip(zeros), kAmple, kFile));
  EXPECT_EQ(out, zeros);
}

TEST(Gunzip, JoinsMembers) {
  ASSERT_OK_AND_ASSIGN(
      const std::string out,
      Gunzip(Gzip("one ") + Gzip("") + Gzip("two"), kAmple, kFile));
  EXPECT_EQ(out, "one two");
}

TEST(Gunzip, PrefixStopsEarly) {
  const std::string packed = Gzip("0123456789");
  ASSERT_OK_AND_ASSIGN(const std::string some, GunzipPrefix(packed, 4, kFile));
  EXPECT_EQ(some, "0123");
  ASSERT_OK_AND_ASSIGN(const std::string all, GunzipPrefix(packed, 99, kFile));
  EXPECT_EQ(all, "0123456789");
}

TEST(Gunzip, RefusesMoreThanTheLimit) {
  const std::string packed = Gzip(std::string(10'000'000, '\0'));
  EXPECT_LT(packed.size(), 100'000);
  ASSERT_OK_AND_ASSIGN(const std::string out,
                       Gunzip(packed, 10'000'000, kFile));
  EXPECT_EQ(out.size(), 10'000'000);
  for (const std::int64_t limit : {0, 1, 1000, 9'999'999})
    EXPECT_THAT(Gunzip(packed, limit, kFile),
                StatusIs(absl::StatusCode::kDataLoss,
                         AllOf(HasSubstr(kFile),
                               HasSubstr("offset " + std::to_string(limit)),
                               HasSubstr("more data than"))));
}

TEST(Gunzip, RefusesWhatIsNotGzip) {
  EXPECT_THAT(Gunzip("plain text, not packed", kAmple, kFile),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr(kFile), HasSubstr("offset "),
                             HasSubstr("incorrect header check"))));
  EXPECT_THAT(Gunzip(Gzip("text") + "rubbish", kAmple, kFile),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(kFile)));
}

TEST(Gunzip, WrongChecksumIsRefusedWhenTheLimitIsExact) {
  std::string packed = Gzip("0123456789");
  packed[packed.size() - 8] ^= 1;  // CRC32, before the length
  EXPECT_THAT(
      Gunzip(packed, 10, kFile),
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr("incorrect data check")));
}

TEST(Gunzip, EveryCutIsRefused) {
  const std::string packed = Gzip(Noise(200));
  for (std::size_t length = 0; length < packed.size(); ++length)
    EXPECT_THAT(Gunzip(packed.substr(0, length), kAmple, kFile),
                StatusIs(absl::StatusCode::kDataLoss,
                         AllOf(HasSubstr("offset " + std::to_string(length)),
                               HasSubstr("cut short"))));
}

TEST(Gunzip, MutationsAreRefusedOrUnchanged) {
  constexpr std::uint64_t kSeed = 20240612;
  RecordProperty("seed", static_cast<int>(kSeed));
  const std::string bytes = testing::IdxImages(5, 6, 7);
  const std::string packed = Gzip(bytes);
  int refused = 0;
  for (std::uint64_t round = 0; round < 5'000; ++round) {
    const auto out = Gunzip(Mutated(packed, kSeed, round), 1000, kFile);
    if (out.ok()) {
      // Only bytes that carry no data (time stamp, system) may change.
      ASSERT_EQ(*out, bytes) << "round " << round;
    } else {
      ASSERT_THAT(out, StatusIs(absl::StatusCode::kDataLoss, HasSubstr(kFile)));
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace podsim
