// The table of zones, row by row as it is published, and what is asked of it.
#include "interconnect/topology/zones.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> ZonesOf(const std::string& slice) {
  return ZonesOffering(*FindSlice(slice));
}

TEST(ZonesTest, SlicesAreWhereTheListHasThem) {
  EXPECT_THAT(ZonesOf("v2-8"),
              ElementsAre("us-central1-b", "us-central1-c", "europe-west4-a",
                          "asia-east1-c", "us-central1-f"));
  for (const char* slice : {"v2-32", "v2-128", "v2-256", "v2-512"})
    EXPECT_THAT(ZonesOf(slice), ElementsAre("us-central1-a", "europe-west4-a"))
        << slice;
  EXPECT_THAT(ZonesOf("v3-8"), ElementsAre("us-central1-b", "us-central1-a",
                                           "europe-west4-a", "us-central1-f"));
  for (const char* slice : {"v3-32", "v3-64", "v3-512", "v3-1024", "v3-2048"})
    EXPECT_THAT(ZonesOf(slice), ElementsAre("europe-west4-a")) << slice;
}

TEST(ZonesTest, AGenerationIsEverySliceOfIt) {
  const std::map<std::string, std::vector<std::string>> zones = {
      {"v4", {"us-central2-b"}},
      {"v5e",
       {"us-central1-a", "us-south1-a", "us-west1-c", "us-west4-a",
        "us-east5-a", "us-east5-b", "us-east5-c"}},
      {"v5p", {"us-central1-a", "us-east5-a", "europe-west4-b"}},
      {"v6e",
       {"us-central1-b", "europe-west4-a", "us-east5-a", "us-east1-d",
        "us-east5-b"}},
      {"tpu7x", {"us-central1-c", "us-central1-ai1a"}}};
  for (const auto& [generation, expected] : zones)
    for (const std::string& name :
         SliceNamesOf(*FindGeneration(ShippedHardware(), generation)))
      EXPECT_THAT(ZonesOf(name), ElementsAreArray(expected)) << name;
}

TEST(ZonesTest, ASliceOfOnesOwnIsOfferedNowhere) {
  ASSERT_OK_AND_ASSIGN(
      const Hardware mine,
      WithHardware(
          ShippedHardware(),
          R"(name: "v5e" slices { name: "v5litepod-24" chips: [4, 6] })",
          "mine"));
  ASSERT_OK_AND_ASSIGN(const Slice slice,
                       FindSlice("v5litepod-24", {.hardware = &mine}));
  EXPECT_THAT(ZonesOffering(slice), IsEmpty());
  ASSERT_OK_AND_ASSIGN(const Zone* const zone, FindZone("us-south1-a"));
  EXPECT_THAT(CheckOffers(*zone, slice),
              StatusIs(kInvalid, HasSubstr("us-south1-a does not offer "
                                           "v5litepod-24; no zone does")));
}

TEST(ZonesTest, ARefusedSliceIsToldWhereItIs) {
  ASSERT_OK_AND_ASSIGN(const Zone* const zone, FindZone("us-central1-a"));
  EXPECT_TRUE(CheckOffers(*zone, *FindSlice("v3-8")).ok());
  EXPECT_THAT(
      CheckOffers(*zone, *FindSlice("v3-32")),
      StatusIs(kInvalid, HasSubstr("us-central1-a does not offer v3-32; "
                                   "it is offered in europe-west4-a")));
}

TEST(ZonesTest, NamesAreFoundOrTheNearestTold) {
  ASSERT_OK_AND_ASSIGN(const Zone* const zone, FindZone("Europe-West4-A"));
  EXPECT_EQ(zone->name(), "europe-west4-a");
  EXPECT_THAT(
      FindZone("europe-west4"),
      StatusIs(
          kInvalid,
          "'europe-west4' is a region; give one of its zones: europe-west4-a, "
          "europe-west4-b"));
  EXPECT_THAT(FindZone("us-west1-a"),
              StatusIs(kInvalid, AllOf(HasSubstr("'us-west1-a'"),
                                       HasSubstr("nearest: us-west1-c, "
                                                 "us-west4-a; there are"))));
  EXPECT_THAT(FindZone(""), StatusIs(kInvalid, HasSubstr("''; nearest: ")));
  EXPECT_THAT(FindZone(std::string(5000, '\n')),
              StatusIs(kInvalid, Not(HasSubstr("\n"))));
}

TEST(ZonesTest, AZoneIsOfTheRegionBeforeItsLastPart) {
  EXPECT_EQ(RegionOfZone("europe-west4-a"), "europe-west4");
  EXPECT_EQ(RegionOfZone("us-central1-ai1a"), "us-central1");
  std::set<std::string> regions;
  for (const Region& region : ShippedWorld().regions())
    EXPECT_TRUE(regions.insert(region.name()).second) << region.name();
  for (const std::string& zone : ZoneNames())
    EXPECT_TRUE(regions.contains(RegionOfZone(zone))) << zone;
  for (const BucketArea& area : ShippedWorld().areas())
    for (const std::string& region : area.regions())
      EXPECT_TRUE(regions.contains(region)) << area.name() << " " << region;
}

TEST(ZonesTest, WhatTheTableSaysOfAnOfferIsThere) {
  const auto note = [](const char* zone, const char* slice) {
    return OfferNote(**FindZone(zone), *FindSlice(slice));
  };
  EXPECT_EQ(note("us-east5-a", "v5litepod-16"), "single tenant");
  EXPECT_EQ(note("us-east5-a", "v5p-8"), "");
  EXPECT_EQ(note("us-central1-f", "v2-8"), "in the older list only");
  EXPECT_EQ(note("us-central1-f", "v2-32"), "");
}

TEST(ZonesTest, ThePageHasTheTable) {
  std::ifstream file(PODSIM_SOURCE_DIR "/docs/storage.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const Zone& zone : ShippedWorld().zones()) {
    std::vector<std::string> offers;
    for (const Offer& offer : zone.offers())
      offers.push_back(absl::StrCat(
          absl::StrJoin(offer.slices(), ", "),
          offer.note().empty() ? "" : absl::StrCat(" (", offer.note(), ")"),
          " [", offer.source(), "]"));
    EXPECT_THAT(page,
                HasSubstr(absl::StrCat("| ", zone.name(), " | ",
                                       absl::StrJoin(offers, "; "), " |\n")));
  }
}

// Each item says at least one slice, and no zone says one twice.
TEST(ZonesTest, EveryOfferIsOfSlicesThatThereAre) {
  for (const Zone& zone : ShippedWorld().zones()) {
    SCOPED_TRACE(zone.name());
    std::set<std::string> offered;
    for (const Offer& offer : zone.offers()) {
      EXPECT_NE(offer.source(), "");
      for (const std::string& item : offer.slices()) {
        Zone alone;
        *alone.add_offers()->add_slices() = item;
        int slices = 0;
        for (const std::string& name : SliceNames()) {
          if (!Offers(alone, *FindSlice(name))) continue;
          ++slices;
          EXPECT_TRUE(offered.insert(name).second) << name;
        }
        EXPECT_GT(slices, 0) << item;
      }
    }
  }
}

TEST(ZonesTest, EverySourceHasALineInTheDocs) {
  std::ifstream file(PODSIM_SOURCE_DIR "/docs/hardware.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::string sources = page.substr(page.find("## Sources"));
  std::set<std::string> keys;
  const auto add = [&](const std::string& source) {
    for (const auto key : absl::StrSplit(source, ", ")) keys.emplace(key);
  };
  for (const Zone& zone : ShippedWorld().zones())
    for (const Offer& offer : zone.offers()) add(offer.source());
  for (const BucketArea& area : ShippedWorld().areas()) add(area.source());
  add(ShippedWorld().region_bytes_per_second().source());
  EXPECT_THAT(keys, ElementsAre("D-regions", "D-regions-old", "GCS-loc"));
  for (const std::string& key : keys)
    EXPECT_THAT(sources, HasSubstr("| " + key + " |"));
}

}  // namespace
}  // namespace podsim
