// Places of buckets: what is in which, and what is refused.
#include "interconnect/topology/bucket_location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

BucketLocation At(const std::string& text) {
  const auto location = FindLocation(text);
  EXPECT_THAT(location, testing::IsOk());
  return location.ok() ? *location : BucketLocation();
}

TEST(BucketLocationTest, ARegionIsItself) {
  const BucketLocation at = At("EUROPE-WEST4");
  EXPECT_EQ(at.name, "europe-west4");
  EXPECT_EQ(at.kind, LocationKind::kRegion);
  EXPECT_THAT(at.regions, ElementsAre("europe-west4"));
}

TEST(BucketLocationTest, DualRegionsAreTheirPairs) {
  EXPECT_THAT(At("NAM4").regions, ElementsAre("us-central1", "us-east1"));
  EXPECT_THAT(At("eur4").regions, ElementsAre("europe-north1", "europe-west4"));
  EXPECT_THAT(At("asia1").regions,
              ElementsAre("asia-northeast1", "asia-northeast2"));
  const BucketLocation own = At("US-CENTRAL1+us-west1");
  EXPECT_EQ(own.name, "us-central1+us-west1");
  EXPECT_THAT(own.regions, ElementsAre("us-central1", "us-west1"));
  for (const BucketLocation& at : {At("nam4"), own})
    EXPECT_STREQ(NameOf(at.kind), "dual-region");
}

TEST(BucketLocationTest, MultiRegionsAreAreas) {
  const BucketLocation us = At("us");
  EXPECT_STREQ(NameOf(us.kind), "multi-region");
  EXPECT_TRUE(Has(us, "us-west4"));
  EXPECT_FALSE(Has(us, "northamerica-northeast1"));
  const BucketLocation eu = At("EU");
  EXPECT_TRUE(Has(eu, "europe-west4"));
  EXPECT_TRUE(Has(eu, "europe-north1"));
  // London and Zurich.
  EXPECT_FALSE(Has(eu, "europe-west2"));
  EXPECT_FALSE(Has(eu, "europe-west6"));
  EXPECT_TRUE(Has(At("asia"), "asia-east1"));
  EXPECT_FALSE(Has(At("asia"), "australia-southeast1"));
}

TEST(BucketLocationTest, ContinentsAreThoseOfTheTable) {
  EXPECT_EQ(ContinentOf("us-central2"), "north-america");
  EXPECT_EQ(ContinentOf("europe-west2"), "europe");
  EXPECT_EQ(ContinentOf("eu"), "");
}

TEST(BucketLocationTest, WhatIsNoPlaceIsToldTheNearest) {
  EXPECT_THAT(FindLocation("europe-wset4"),
              StatusIs(kInvalid, AllOf(HasSubstr("'europe-wset4'"),
                                       HasSubstr("nearest: europe-west4"))));
  // A zone is no place of a bucket.
  EXPECT_THAT(FindLocation("us-central1-a"),
              StatusIs(kInvalid, HasSubstr("nearest: us-central1")));
  EXPECT_THAT(FindLocation("us-central1+mars"),
              StatusIs(kInvalid, HasSubstr("'mars'")));
  EXPECT_THAT(FindLocation("us-east1+us-east1"),
              StatusIs(kInvalid, HasSubstr("one region twice")));
  EXPECT_THAT(FindLocation(""), StatusIs(kInvalid, HasSubstr("''")));
  EXPECT_THAT(FindLocation(std::string(1 << 16, '\n')),
              StatusIs(kInvalid, Not(HasSubstr("\n"))));
}

}  // namespace
}  // namespace podsim
