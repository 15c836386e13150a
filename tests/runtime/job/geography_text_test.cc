// Where pods and buckets are, in words.
#include "runtime/job/geography_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/job/format_plan.h"
#include "tests/runtime/job/geography_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Digits;
using ::podsim::testing::Inputs;
using ::podsim::testing::PlanInBuckets;
using ::podsim::testing::Spec;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string TextOf(const absl::StatusOr<JobPlan>& plan) {
  EXPECT_THAT(plan, testing::IsOk());
  const auto slice = SliceNamed(plan->bits().slice(), plan->spec());
  std::string text;
  for (const auto& [label, words] : GeographyText(*plan, *slice))
    absl::StrAppend(&text, label, ": ", words, "\n");
  return text;
}

constexpr char kHere[] = "topology: 'v3-32' bucket_location: 'europe-west4' ";
constexpr char kAway[] = "topology: 'v3-32' bucket_location: 'us-central1' ";

TEST(GeographyTextTest, TheRightRegion) {
  EXPECT_EQ(
      TextOf(PlanInBuckets(kHere, {.model_dir = "gs://data/m"})),
      "zone: europe-west4-a, the first that offers v3-32\n"
      "bucket: gs://data (data_dir, model_dir) in europe-west4, as "
      "bucket_location says: the pod's region\n"
      ": a round trip takes 30 ms (10 ms to 100 ms, assumed); a host has 2 "
      "GB/s "
      "(500 MB/s to 6 GB/s, assumed), the bucket 25 GB/s (25 GB/s to 125 GB/s, "
      "published) among 4 hosts: 16 reads of 8.00 MiB in flight bring each 2 "
      "GB/s sim\n"
      ": 314.13 MiB of examples are read (44.92 MiB x 6.827 epochs, and the "
      "eval split); 785.00 KiB of a host's step in 402 us sim; 4 checkpoints "
      "of "
      "795.08 KiB written\n");
}

TEST(GeographyTextTest, TheWrongRegion) {
  const std::string text = TextOf(PlanInBuckets(kAway));
  EXPECT_THAT(
      text,
      AllOf(
          HasSubstr("gs://data (data_dir) in us-central1, as bucket_location "
                    "says: elsewhere: the pod is in europe-west4; no zone "
                    "there offers v3-32\n"),
          HasSubstr("a round trip takes 130 ms (90 ms to 250 ms, assumed); a "
                    "host has 400 MB/s (100 MB/s to 1.2 GB/s, assumed)"),
          HasSubstr("between us-central1 and europe-west4: 314.13 MiB of "
                    "examples are read (44.92 MiB x 6.827 epochs, and the "
                    "eval split); 785.00 KiB of a host's step in 2.01 ms sim, "
                    "402 us from a bucket in europe-west4\n")));
  EXPECT_THAT(text,
              AllOf(HasSubstr("among 4 hosts: each writes 400 MB/s sim\n"),
                    HasSubstr("between us-central1 and europe-west4: 4 "
                              "checkpoints of 795.08 KiB written\n"),
                    Not(HasSubstr("price"))));
  EXPECT_THAT(
      TextOf(PlanInBuckets("topology: 'v3-8' bucket_location: 'europe-west4'")),
      HasSubstr("v3-8 is offered there too: zone=europe-west4-a\n"));
}

TEST(GeographyTextTest, ARunThatEvaluatesReadsWhatItEvaluates) {
  EXPECT_THAT(
      TextOf(PlanInBuckets(std::string(kHere) + "mode: eval",
                           {.model_dir = "gs://data/m"})),
      AllOf(HasSubstr("7.49 MiB of examples are read, of the eval split; "),
            HasSubstr("; 795.08 KiB of a checkpoint are read\n"),
            Not(HasSubstr("written"))));
}

TEST(GeographyTextTest, PlacesOfSeveralRegions) {
  EXPECT_THAT(
      TextOf(PlanInBuckets("topology: 'v3-32' bucket_location: 'eur4'")),
      HasSubstr("as bucket_location says: a dual-region that has the pod's "
                "europe-west4 in it\n"));
  EXPECT_THAT(TextOf(PlanInBuckets("topology: 'v3-32' bucket_location: 'eu'")),
              HasSubstr("a multi-region that has the pod's europe-west4 in it; "
                        "objects may lie in other regions of it\n"));
}

TEST(GeographyTextTest, WhatIsNotKnownIsSaid) {
  EXPECT_THAT(
      TextOf(PlanInBuckets("topology: 'v3-32'")),
      AllOf(HasSubstr("gs://data (data_dir): where it is, is not known; "
                      "say so with bucket_location. It belongs in "
                      "europe-west4\n"),
            Not(HasSubstr("round trip"))));
  EXPECT_THAT(
      TextOf(PlanInBuckets("topology: 'v3-48' bucket_location: 'us' hardware {"
                           " generations { name: 'v3' slices { name: 'v3-48'"
                           " chips: [4, 6] } } }")),
      AllOf(HasSubstr("zone: no zone of the table offers v3-48"),
            HasSubstr("in us, as bucket_location says: the pod's is not "
                      "known\n")));
  EXPECT_THAT(
      TextOf(PlanInBuckets(std::string(kHere) + "checkpoint_every_seconds: 5")),
      HasSubstr(": checkpoints of 795.08 KiB written\n"));
}

TEST(GeographyTextTest, FiguresOfAFileAreNotAssumed) {
  EXPECT_THAT(TextOf(PlanInBuckets(
                  std::string(kAway) +
                  "links { links { from: 'us-central1' to: 'europe-west4'"
                  " round_trip_seconds { value: 0.1 } } }")),
              HasSubstr("a round trip takes 100 ms (as links says); a host has "
                        "400 MB/s (100 MB/s to 1.2 GB/s, assumed)"));
}

TEST(GeographyTextTest, ARunThatWaitsIsAnnounced) {
  const char* text =
      "simulate_geography: the run itself waits that long, wall; its round "
      "trips take up to 13 ms (4 ms to 39 ms, assumed) more or less\n";
  EXPECT_THAT(
      TextOf(PlanInBuckets(std::string(kAway) + "simulate_geography: true")),
      HasSubstr(text));
  EXPECT_THAT(TextOf(PlanInBuckets(kAway)), Not(HasSubstr("waits that long")));
}

// A process that plays four hosts does not read as four do.
TEST(GeographyTextTest, AProcessThatIsShortOfReadsIsAnnounced) {
  const auto text = [](const char* more, int reads) {
    auto plan =
        PlanInBuckets(std::string(kAway) + "simulate_geography: true " + more);
    BucketPlace& place = *plan->mutable_geography()->mutable_buckets(0);
    place.set_reads_in_flight(reads);
    place.set_bytes_of_read(1 << 16);
    return TextOf(plan);
  };
  const auto announced = HasSubstr(
      "more or less; a process has these reads in flight for the 4 hosts it "
      "plays, so that here they bring each at most 2.02 MB/s sim: more "
      "processes "
      "wait less\n");
  // 16 x 65,536 bytes in 130 ms, among four.
  EXPECT_THAT(text("processes: 1", 16), announced);
  EXPECT_THAT(text("", 16), Not(HasSubstr("a process has"))) << "one host each";
  EXPECT_THAT(text("processes: 1", 0), Not(HasSubstr("a process has")))
      << "what is read once, as a whole";
  EXPECT_THAT(TextOf(PlanInBuckets(std::string(kAway) + "processes: 1")),
              Not(HasSubstr("a process has")));
}

TEST(GeographyTextTest, MoneyComesFromPricesAlone) {
  // 314.13 MiB at 2 a GiB; 4 checkpoints of 814,160 bytes at 3.
  EXPECT_THAT(
      TextOf(PlanInBuckets(
          std::string(kAway) +
              "prices { currency: 'XTS'"
              " prices { from: 'us-central1' to: 'europe' per_gib: 2 }"
              " prices { from: 'europe' to: 'us-central1' per_gib: 3 } }",
          {.model_dir = "gs://data/m"})),
      HasSubstr("at the prices given: XTS 0.6135 to read it, XTS 0.009099 to "
                "write the checkpoints\n"));
  EXPECT_THAT(
      TextOf(PlanInBuckets(std::string(kAway) +
                           "prices { currency: 'XTS'"
                           " prices { from: 'same-region' per_gib: 0 } }")),
      AllOf(
          HasSubstr("no price says what it costs to read it\n"),
          HasSubstr("no price says what it costs to write the checkpoints\n")));
}

TEST(GeographyTextTest, ThePlanHasTheLinesWhereTheyAreOfUse) {
  const auto plain = [](const std::string& text) {
    const auto plan = PlanJob(Spec(text), Inputs(Digits()));
    EXPECT_THAT(plan, testing::IsOk());
    return FormatPlan(*plan, *FindSlice(plan->bits().slice()),
                      {.verbose = true});
  };
  EXPECT_THAT(plain("topology: 'v3-32' model_dir: '/m'"),
              AllOf(Not(HasSubstr("zone ")), Not(HasSubstr("bucket  "))));
  EXPECT_THAT(plain("topology: 'v3-32' zone: 'europe-west4-a'"),
              HasSubstr("\nzone           europe-west4-a\n"));
  const auto plan = PlanInBuckets(kAway);
  ASSERT_THAT(plan, testing::IsOk());
  EXPECT_THAT(
      FormatPlan(*plan, *FindSlice("v3-32"), {.verbose = true}),
      AllOf(HasSubstr("\nzone           europe-west4-a, the first"),
            HasSubstr("\nbucket         gs://data (data_dir) in us-central1"),
            HasSubstr("\nWARNING        gs://data is in us-central1")));
}

}  // namespace
}  // namespace podsim
