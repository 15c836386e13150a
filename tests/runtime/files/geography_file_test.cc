// Links and prices as text.
#include "runtime/files/geography_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kLinks[] =
    "# measured on a Monday\n"
    "links { from: 'us-central1' to: 'europe-west4'\n"
    "  round_trip_seconds { value: 0.11 low: 0.1 high: 0.2 } }\n";
constexpr char kPrices[] =
    "currency: 'XTS'\nprices { from: 'us-central1' to: 'europe' per_gib: 7 }\n";

TEST(GeographyFileTest, IsReadAsTextAndAsJson) {
  ASSERT_OK_AND_ASSIGN(const BucketLinks links, ParseLinks(kLinks, "x"));
  ASSERT_EQ(links.links_size(), 1);
  EXPECT_EQ(links.links(0).round_trip_seconds().high(), 0.2);
  EXPECT_FALSE(links.links(0).has_host_bytes_per_second());
  ASSERT_OK_AND_ASSIGN(const BucketPrices prices, ParsePrices(kPrices, "x"));
  EXPECT_EQ(prices.currency(), "XTS");
  ASSERT_OK_AND_ASSIGN(
      const BucketPrices json,
      ParsePrices(R"({"currency": "XTS", "prices": [)"
                  R"({"from": "us-central1", "to": "europe", "perGib": 7}]})",
                  "x"));
  EXPECT_EQ(json.SerializeAsString(), prices.SerializeAsString());
}

TEST(GeographyFileTest, MayStandInAJob) {
  JobSpec spec;
  *spec.mutable_links() = *ParseLinks(kLinks, "x");
  *spec.mutable_prices() = *ParsePrices(kPrices, "x");
  EXPECT_EQ(testing::Spec(PrintJob(spec)).SerializeAsString(),
            spec.SerializeAsString());
}

TEST(GeographyFileTest, ErrorsNameFileAndPlaceInOneLine) {
  const auto says = [](const char* begins, const char* says) {
    return StatusIs(kInvalid, AllOf(StartsWith(begins), HasSubstr(says),
                                    Not(HasSubstr("\n"))));
  };
  EXPECT_THAT(ParseLinks("", "my.txt"), says("my.txt: ", "at least one row"));
  EXPECT_THAT(
      ParseLinks("links { round_trip_seconds { grade: MEASURED } }", "my.txt"),
      says("my.txt:1:37: ",
           "grade is \"MEASURED\"; allowed: PRIMARY, SECONDARY, DERIVED, "
           "ASSUMED, FITTED"));
  EXPECT_THAT(ParseLinks("\nlink {}", "my.txt"),
              says("my.txt:2:", "round_trip_seconds { value: X }"));
  EXPECT_THAT(ParseLinks("links { from: 'mars' to: 'us' }", "my.txt"),
              says("my.txt: links 1: ", "'mars' is no place"));
  EXPECT_THAT(ParsePrices("prices { per_gib: 1 }", "my.txt"),
              says("my.txt: ", "currency"));
  EXPECT_THAT(ParsePrices("price { per_gib: 1 }", "my.txt"),
              says("my.txt:1:", "per_gib: X"));
}

TEST(GeographyFileTest, ReadsAFileAndNamesOneThatIsMissing) {
  const TempDir dir;
  std::ofstream(dir.file("links")) << kLinks;
  std::ofstream(dir.file("prices")) << kPrices;
  ASSERT_OK_AND_ASSIGN(const BucketLinks links, ReadLinks(dir.file("links")));
  EXPECT_EQ(links.links_size(), 1);
  ASSERT_OK_AND_ASSIGN(const BucketPrices prices,
                       ReadPrices(dir.file("prices")));
  EXPECT_EQ(prices.prices_size(), 1);
  EXPECT_THAT(ReadLinks(dir.file("none")),
              StatusIs(absl::StatusCode::kNotFound,
                       AllOf(HasSubstr("table of links"), HasSubstr("none"))));
  EXPECT_THAT(
      ReadPrices(dir.file("none")),
      StatusIs(absl::StatusCode::kNotFound, HasSubstr("table of prices")));
}

}  // namespace
}  // namespace podsim
