// Which row of a table says what lies between a bucket and a pod.
#include "interconnect/topology/bucket_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/text_format.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::google::protobuf::TextFormat;
using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::Optional;

BucketLinks Links(const std::string& text) {
  BucketLinks links;
  EXPECT_TRUE(TextFormat::ParseFromString(text, &links));
  return links;
}

BucketPrices Prices(const std::string& text) {
  BucketPrices prices;
  EXPECT_TRUE(TextFormat::ParseFromString(text, &prices));
  return prices;
}

BucketLinkFigures Between(const std::string& location,
                          const std::string& region,
                          const BucketLinks& asked = {}) {
  return LinkBetween(*FindLocation(location), region, asked);
}

double RoundTrip(const std::string& location, const std::string& region,
                 const BucketLinks& asked = {}) {
  return Between(location, region, asked).round_trip_seconds.value();
}

TEST(BucketLinksTest, WhatShipsIsAssumedWithARange) {
  ASSERT_THAT(CheckLinks(ShippedLinks()), IsOk());
  for (const BucketLink& link : ShippedLinks().links()) {
    for (const Figure& figure :
         {link.round_trip_seconds(), link.host_bytes_per_second(),
          link.jitter_seconds()}) {
      EXPECT_EQ(figure.grade(), ASSUMED);
      EXPECT_LT(figure.low(), figure.value());
      EXPECT_LT(figure.value(), figure.high());
      EXPECT_NE(figure.note(), "");
    }
  }
}

std::string Number(double value, const std::string& name) {
  return name != "host_bytes_per_second" ? absl::StrFormat("%.0f", value * 1000)
                                         : absl::StrFormat("%.0f", value / 1e6);
}

std::string Cell(const Figure& figure, const std::string& name) {
  return absl::StrCat(Number(figure.value(), name), " (",
                      Number(figure.low(), name), " to ",
                      Number(figure.high(), name), ")");
}

TEST(BucketLinksTest, ThePageHasWhatShips) {
  std::ifstream file(PODSIM_SOURCE_DIR "/docs/storage.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const BucketLink& link : ShippedLinks().links())
    EXPECT_THAT(
        page, HasSubstr(absl::StrCat(
                  "| ", link.from(),
                  link.to().empty() ? "" : absl::StrCat(", ", link.to()), " | ",
                  Cell(link.round_trip_seconds(), "round_trip_seconds"), " | ",
                  Cell(link.jitter_seconds(), "jitter_seconds"), " | ",
                  Cell(link.host_bytes_per_second(), "host_bytes_per_second"),
                  " |\n")));
}

TEST(BucketLinksTest, ShippedFiguresGoByTheKindOfWay) {
  EXPECT_EQ(RoundTrip("europe-west4", "europe-west4"), 0.03);
  EXPECT_EQ(RoundTrip("us-east1", "us-central1"), 0.06);
  EXPECT_EQ(RoundTrip("us-central1", "europe-west4"), 0.13);
  EXPECT_EQ(RoundTrip("europe-west4", "us-central1"), 0.13);
  EXPECT_EQ(RoundTrip("asia-east1", "us-central1"), 0.19);
  EXPECT_EQ(RoundTrip("asia-east1", "europe-west4"), 0.27);
  EXPECT_EQ(RoundTrip("africa-south1", "europe-west4"), 0.3);
  EXPECT_EQ(
      Between("europe-west4", "europe-west4").host_bytes_per_second.value(),
      2e9);
}

TEST(BucketLinksTest, ADualRegionIsReadInThePodsRegion) {
  EXPECT_EQ(RoundTrip("eur4", "europe-west4"), 0.03);
  EXPECT_EQ(Between("eur4", "europe-west4").region, "europe-west4");
}

TEST(BucketLinksTest, AMultiRegionIsAsFarAsItsContinent) {
  EXPECT_EQ(RoundTrip("eu", "europe-west4"), 0.06);
  // London is outside the eu, as near as its continent.
  EXPECT_EQ(RoundTrip("eu", "europe-west2"), 0.06);
}

TEST(BucketLinksTest, ABucketElsewhereIsReadWhereItIsNearest) {
  const BucketLinks mine = Links(
      "links { from: 'us-central1' to: 'europe-west4'"
      "  round_trip_seconds { value: 0.11 } }"
      "links { from: 'us-east1' to: 'europe-west4'"
      "  round_trip_seconds { value: 0.09 } }");
  const BucketLinkFigures link = Between("nam4", "europe-west4", mine);
  EXPECT_EQ(link.region, "us-east1");
  EXPECT_EQ(link.round_trip_seconds.value(), 0.09);
  // Nothing is said of the bandwidth: the assumed one stays.
  EXPECT_EQ(link.host_bytes_per_second.value(), 4e8);
  EXPECT_EQ(link.host_bytes_per_second.grade(), ASSUMED);
}

TEST(BucketLinksTest, TheCloserDescriptionWinsWhereverItStands) {
  const BucketLinks mine = Links(
      "links { from: 'anywhere' round_trip_seconds { value: 1 } }"
      "links { from: 'europe' to: 'north-america'"
      "  round_trip_seconds { value: 2 } }"
      "links { from: 'us-central1' to: 'europe'"
      "  round_trip_seconds { value: 3 } }"
      "links { from: 'europe-west4' to: 'us-central1'"
      "  round_trip_seconds { value: 4 } }"
      "links { from: 'nam4' to: 'europe-west4'"
      "  round_trip_seconds { value: 5 } }"
      "links { from: 'same-continent' round_trip_seconds { value: 6 } }"
      "links { from: 'same-region' round_trip_seconds { value: 7 } }");
  ASSERT_THAT(CheckLinks(mine), IsOk());
  EXPECT_EQ(RoundTrip("asia-east1", "europe-west4", mine), 1);
  EXPECT_EQ(RoundTrip("us-east5", "europe-west4", mine), 2);
  EXPECT_EQ(RoundTrip("us-central1", "europe-west1", mine), 3);
  EXPECT_EQ(RoundTrip("us-central1", "europe-west4", mine), 4);
  EXPECT_EQ(RoundTrip("nam4", "europe-west4", mine), 5);
  EXPECT_EQ(RoundTrip("us-east5", "us-west1", mine), 6);
  EXPECT_EQ(RoundTrip("us-east5", "us-east5", mine), 7);
}

TEST(BucketLinksTest, ARowOfAContinentIsNotOfOneRegion) {
  const BucketLinks mine = Links(
      "links { from: 'europe' to: 'europe' round_trip_seconds { value: 9 } }");
  EXPECT_EQ(RoundTrip("europe-west1", "europe-west4", mine), 9);
  EXPECT_EQ(RoundTrip("europe-west4", "europe-west4", mine), 0.03);
}

TEST(BucketLinksTest, PricesHaveADirection) {
  const BucketPrices prices = Prices(
      "currency: 'USD'"
      "prices { from: 'same-region' per_gib: 0 }"
      "prices { from: 'us-central1' to: 'europe' per_gib: 2 }"
      "prices { from: 'europe-west4' to: 'north-america' per_gib: 3 }");
  ASSERT_THAT(CheckPrices(prices), IsOk());
  const WayPrices across =
      PricesBetween(*FindLocation("us-central1"), "europe-west4", prices);
  EXPECT_THAT(across.read, Optional(2.0));
  EXPECT_THAT(across.write, Optional(3.0));
  const WayPrices here =
      PricesBetween(*FindLocation("europe-west4"), "europe-west4", prices);
  EXPECT_THAT(here.read, Optional(0.0));
  const WayPrices unsaid =
      PricesBetween(*FindLocation("asia-east1"), "europe-west4", prices);
  EXPECT_EQ(unsaid.read, std::nullopt);
  EXPECT_EQ(unsaid.write, std::nullopt);
}

TEST(BucketLinksTest, WhatCannotBeIsRefusedByItsRow) {
  const auto refused = [](const std::string& text) {
    return CheckLinks(Links(text));
  };
  const std::string rate = " host_bytes_per_second { value: 1e9 } }";
  EXPECT_THAT(refused(""), StatusIs(kInvalid, HasSubstr("at least one row")));
  EXPECT_THAT(refused("links { from: 'us-east1' to: 'us-est1'" + rate),
              StatusIs(kInvalid, HasSubstr("links 1: 'us-est1' is no place; "
                                           "nearest: us-east1, us-west1")));
  EXPECT_THAT(refused("links { from: 'us-east1'" + rate),
              StatusIs(kInvalid, HasSubstr("needs a to, as in to: ")));
  EXPECT_THAT(refused("links { from: 'anywhere' to: 'us'" + rate),
              StatusIs(kInvalid, HasSubstr("stands alone: leave to 'us' out")));
  EXPECT_THAT(refused("links { from: 'US-EAST1' to: 'us'" + rate),
              StatusIs(kInvalid, HasSubstr("'US-EAST1' is no place")));
  EXPECT_THAT(refused("links { from: 'us' to: 'asia' }"),
              StatusIs(kInvalid, HasSubstr("give one, as in round_trip_seconds "
                                           "{ value: 0.1 }")));
  EXPECT_THAT(refused("links { from: 'us-east1' to: 'asia'" + rate +
                      "links { from: 'asia' to: 'us-east1'" + rate),
              StatusIs(kInvalid, HasSubstr("links 2: is of a way that an "
                                           "earlier row has; leave one of "
                                           "them out")));
  for (const char* value : {"0", "-1", "999999", "nan", "inf", "1e20"})
    EXPECT_THAT(refused("links { from: 'anywhere' host_bytes_per_second {"
                        " value: " +
                        std::string(value) + " } }"),
                StatusIs(kInvalid, HasSubstr("must be 1e+06 to 1e+13")))
        << value;
  EXPECT_THAT(refused("links { from: 'anywhere' round_trip_seconds {"
                      " value: 0.1 low: 0.2 high: 0.3 } }"),
              StatusIs(kInvalid, HasSubstr("must ascend; give such")));
  EXPECT_THAT(CheckPrices(Prices("prices { from: 'anywhere' per_gib: 1 }")),
              StatusIs(kInvalid, HasSubstr("currency")));
  EXPECT_THAT(CheckPrices(Prices("currency: 'EUR' prices { from: 'anywhere'"
                                 " per_gib: -1 }")),
              StatusIs(kInvalid, HasSubstr("prices 1: per_gib is -1")));
  EXPECT_THAT(CheckPrices(Prices("currency: 'EUR'")),
              StatusIs(kInvalid, HasSubstr("no prices are said: a file has at "
                                           "least one row, as in prices { "
                                           "from: ")));
}

}  // namespace
}  // namespace podsim
