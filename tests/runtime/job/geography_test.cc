// Where pods and buckets are: zones, places, what is refused, rates by hand.
#include "runtime/job/geography.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_join.h"
#include "job/plan_warning.h"
#include "runtime/job/geography_bytes.h"
#include "tests/runtime/job/geography_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Digits;
using ::podsim::testing::Inputs;
using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::PlanInBuckets;
using ::podsim::testing::Spec;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

absl::StatusOr<JobPlan> Plain(const std::string& text) {
  return PlanJob(Spec(text), Inputs(Digits()));
}

TEST(BucketOfTest, IsSchemeAndName) {
  EXPECT_EQ(BucketOf("gs://bucket/x/y"), "gs://bucket");
  EXPECT_EQ(BucketOf("GS://bucket"), "gs://bucket");
  EXPECT_EQ(BucketOf("gs:/bucket/x"), "gs://bucket");
  EXPECT_EQ(BucketOf("gs://"), "gs://");
  EXPECT_EQ(BucketOf("/gs/bucket"), "");
  EXPECT_EQ(BucketOf(""), "");
}

TEST(BucketOfTest, EachBucketOfAJobIsThereOnce) {
  const JobSpec spec = Spec(
      "data_dir: 'gs://a/x' model_dir: 'gs://b/x' restore: 'gs://a/y'"
      " model_file: '/m'");
  EXPECT_THAT(BucketsOf(spec), ElementsAre("gs://a", "gs://b"));
  EXPECT_THAT(BucketsOf(Spec("model_dir: '/m'")), IsEmpty());
  EXPECT_THAT(BucketsOf(Spec("metrics_file: 'gs://c/m.jsonl'")),
              ElementsAre("gs://c"));
  EXPECT_THAT(BucketsOf(Spec("tensorboard_dir: 'gs://d/tb'")),
              ElementsAre("gs://d"));
  EXPECT_THAT(BucketsOf(Spec("tensorboard_dir: 'tb' simulate_geography: true")),
              IsEmpty());
  EXPECT_THAT(BucketsOf(Spec("metrics_file: '/m.jsonl' simulate_geography: "
                             "true")),
              IsEmpty());
}

TEST(GeographyTest, TheBucketOfTheMetricsCountsToo) {
  EXPECT_THAT(Plain("topology: 'v3-32' metrics_file: 'gs://counts/m.jsonl' "
                    "bucket_location: 'asia-east1' zone: 'europe-west4-a' "
                    "require_same_region: true"),
              StatusIs(kInvalid, HasSubstr("gs://counts is in asia-east1")));
}

TEST(GeographyTest, APlainJobHasNone) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       Plain("topology: 'v3-32' model_dir: '/m'"));
  EXPECT_FALSE(plan.has_geography());
}

TEST(GeographyTest, AZoneThatIsTypedIsKeptAndChangesNoHash) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plain, Plain("topology: 'v3-32'"));
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       Plain("topology: 'v3-32' zone: 'EUROPE-WEST4-A'"));
  EXPECT_EQ(plan.geography().zone(), "europe-west4-a");
  EXPECT_EQ(plan.geography().region(), "europe-west4");
  EXPECT_TRUE(plan.geography().zone_asked());
  EXPECT_EQ(plan.hash(), plain.hash());
}

TEST(GeographyTest, AZoneThatDoesNotOfferTheSliceIsRefused) {
  EXPECT_THAT(Plain("topology: 'v3-32' zone: 'us-central1-a'"),
              StatusIs(kInvalid,
                       HasSubstr("zone: us-central1-a does not offer v3-32; it "
                                 "is offered in europe-west4-a")));
  EXPECT_THAT(Plain("zone: 'mars-a'"),
              StatusIs(kInvalid, HasSubstr("zone: no zone with TPUs is called "
                                           "'mars-a'")));
}

TEST(GeographyTest, SettingsOfBucketsNeedOne) {
  for (const char* setting :
       {"bucket_location: 'us'", "require_same_region: true",
        "links { links { from: 'anywhere' round_trip_seconds { value: 1 } } }",
        "prices { currency: 'X' prices { from: 'anywhere' per_gib: 1 } }"})
    EXPECT_THAT(
        Plain(setting),
        StatusIs(kInvalid, AllOf(HasSubstr("is about a bucket, and none"),
                                 HasSubstr(" out, or give --model_dir=gs://"))))
        << setting;
  // No more than it says.
  EXPECT_THAT(Plain("require_same_region: false"), IsOk());
}

TEST(GeographyTest, ASimulatedPlaceMayBeAFolderOfThisMachine) {
  ASSERT_OK_AND_ASSIGN(
      const JobPlan plan,
      PlanInBuckets("topology: 'v3-32' bucket_location: 'us-central1'"
                    " simulate_geography: true",
                    {.data_dir = "/d/x/train-*", .model_dir = "m/"}));
  ASSERT_EQ(plan.geography().buckets_size(), 2);
  EXPECT_EQ(plan.geography().buckets(0).bucket(), "/d/x");
  EXPECT_EQ(plan.geography().buckets(1).bucket(), "m");
  for (const BucketPlace& place : plan.geography().buckets()) {
    EXPECT_EQ(place.nearness(), BucketPlace::ELSEWHERE);
    EXPECT_EQ(place.round_trip_seconds().value(), 0.13);
    EXPECT_EQ(place.jitter_seconds().value(), 0.013);
  }
  EXPECT_GT(plan.geography().read_bytes(), 0);
}

TEST(GeographyTest, RecordsThatAreReadOneByOneAreWarnedOf) {
  std::int64_t window = 0;
  const auto plan = [&](const char* more, std::int64_t examples) {
    JobSpec spec =
        Spec(std::string("data_dir: 'gs://b/x' batch_per_core: 16 ") + more);
    JobPlan made;
    *made.mutable_spec() = spec;
    made.mutable_bits()->set_batch_per_core(16);
    made.mutable_bits()->set_cores_per_host(8);
    made.mutable_bits()->set_hosts(4);
    DatasetConfig& dataset = *made.mutable_bits()->mutable_dataset();
    dataset = testing::Mnist();  // 785 bytes an example
    dataset.set_shards(4);
    dataset.set_train_examples(examples);
    dataset.set_stored_bytes(785 * examples);
    dataset.set_shuffle_window(window);
    const auto slice = SliceNamed("v3-32", spec);
    EXPECT_THAT(FillGeography(spec, *slice, {}, made), IsOk());
    return absl::StrJoin(WarningTexts(made), "\n");
  };
  const auto warns = HasSubstr(
      "each host reads 128 records a step one by one"
      " from gs://b: 16 at a time, ");
  EXPECT_THAT(plan("", 400'000), warns);
  // 224 of 256 MiB are for training; 7/8 of what batches leave.
  EXPECT_THAT(plan("", 299'212), warns);
  EXPECT_THAT(plan("", 299'211), Not(warns));
  EXPECT_THAT(plan("input_memory: 67108864", 80'000), warns);
  EXPECT_THAT(plan("input_memory: 134217728", 80'000), Not(warns));
  window = 4096;
  EXPECT_THAT(plan("", 400'000), Not(warns));
}

// 4 hosts of 8 cores, 16 examples a core, 1,000 bytes each; one process, unless
// the text says so.
BucketPlace PlaceOfShards(const char* text, DatasetConfig dataset,
                          std::int64_t examples, double* step_bytes) {
  JobSpec spec = Spec(
      absl::StrCat("topology: 'v3-32' data_dir: 'gs://b/x' bucket_location: "
                   "'us-central1' ",
                   text));
  if (!spec.has_processes()) spec.set_processes(1);
  JobPlan made;
  *made.mutable_spec() = spec;
  PlanBits& bits = *made.mutable_bits();
  bits.set_batch_per_core(16);
  bits.set_cores_per_host(8);
  bits.set_hosts(4);
  bits.set_in_order(spec.shuffle() == words::Shuffle::false_);
  dataset.set_train_examples(examples);
  dataset.set_eval_examples(0);
  dataset.set_stored_bytes(1000 * examples);
  *bits.mutable_dataset() = std::move(dataset);
  made.set_total_examples(2 * examples);
  const auto slice = SliceNamed("v3-32", spec);
  EXPECT_THAT(FillGeography(spec, *slice, {}, made), IsOk());
  const BucketPlace place = *PlaceOf(made.geography(), "data_dir");
  EXPECT_EQ(made.geography().example_bytes(), 1000);
  EXPECT_EQ(made.geography().read_bytes(),
            2000 * examples * HostsOfExample(place));
  *step_bytes = HostStepBytes(place, 1000, 16, *slice);
  return place;
}

TEST(GeographyTest, HowShardsAreReadIsSaid) {
  double step = 0;
  DatasetConfig dataset = testing::Mnist();
  // Images, a file each.
  BucketPlace place = PlaceOfShards("", dataset, 400'000, &step);
  EXPECT_EQ(place.reads_in_flight(), 16);
  EXPECT_EQ(place.bytes_of_read(), 1000);
  EXPECT_EQ(step, 128'000);
  dataset.set_shards(4);
  // 224 of 256 MiB are for training: blocks of a 64th, read once.
  place = PlaceOfShards("", dataset, 200'000, &step);
  EXPECT_EQ(place.reads_in_flight(), 16);
  EXPECT_EQ(place.bytes_of_read(), 7 << 19);
  EXPECT_EQ(step, 128'000);
  // Record by record.
  place = PlaceOfShards("", dataset, 400'000, &step);
  EXPECT_EQ(place.bytes_of_read(), 1000);
  EXPECT_EQ(step, 128'000);
  EXPECT_DOUBLE_EQ(ReadRate(place, 4),
                   16'000 / place.round_trip_seconds().value());
  // By lanes: blocks, of which a quarter of the memory has two for each lane
  // that a process reads, and each host has 16 lanes of its own.
  dataset.set_shuffle_window(4096);
  dataset.set_lanes(64);
  place = PlaceOfShards("", dataset, 400'000, &step);
  EXPECT_EQ(place.bytes_of_read(), 7 << 16);
  EXPECT_EQ(step, 128'000);
  place = PlaceOfShards("processes: 4", dataset, 400'000, &step);
  EXPECT_EQ(place.bytes_of_read(), (224 << 20) / (8 * 17));
  place =
      PlaceOfShards("input_memory: 8589934592", dataset, 400'000'000, &step);
  EXPECT_EQ(place.bytes_of_read(), 8 << 20);
  // Packed: spans, of which those at both ends of a lane are shared.
  dataset.set_packed(true);
  dataset.set_span_bytes(500'000);
  place = PlaceOfShards("", dataset, 400'000, &step);
  EXPECT_EQ(place.reads_in_flight(), 16);
  EXPECT_EQ(place.bytes_of_read(), 250'000) << "two reads of a span";
  EXPECT_DOUBLE_EQ(step, 128'000 * (1 + 500'000 * 64 / 400e6));
  dataset.set_span_bytes(100'000);
  place = PlaceOfShards("", dataset, 400'000, &step);
  EXPECT_EQ(place.bytes_of_read(), 100'000);
  // In order a host has some neighbours of each step, and what is kept is of so
  // many spans.
  dataset.set_span_bytes(40'000);
  place = PlaceOfShards("shuffle: false", dataset, 400'000, &step);
  EXPECT_DOUBLE_EQ(step, 128'000 * (1 + 40e3 / 128e3));
  EXPECT_EQ(place.reads_in_flight(), 16);
  dataset.set_span_bytes(1'000'000);
  place = PlaceOfShards("shuffle: false", dataset, 400'000, &step);
  EXPECT_EQ(step, 128'000 * 4) << "no more than all hosts";
  place = PlaceOfShards("shuffle: false input_memory: 33554432", dataset,
                        400'000, &step);
  EXPECT_LT(place.reads_in_flight(), 16);
}

TEST(GeographyTest, WhatIsSimulatedMustBeKnown) {
  EXPECT_THAT(PlanInBuckets("topology: 'v3-32' simulate_geography: true",
                            {.data_dir = "/d", .model_dir = "/m"}),
              StatusIs(kInvalid, HasSubstr("simulate_geography: it is not "
                                           "known where /d is; say so with "
                                           "bucket_location")));
  EXPECT_THAT(PlanInBuckets("bucket_location: 'us' simulate_geography: true",
                            {.data_dir = "", .model_dir = ""}),
              StatusIs(kInvalid, HasSubstr("the job names none of data_dir")));
  // Without it a plain path has no place.
  ASSERT_OK_AND_ASSIGN(
      const JobPlan plan,
      PlanInBuckets("topology: 'v3-32' bucket_location: 'us-central1'",
                    {.data_dir = "/d"}));
  ASSERT_EQ(plan.geography().buckets_size(), 1);
  EXPECT_EQ(plan.geography().buckets(0).bucket(), "gs://models");
}

TEST(GeographyTest, TheFirstZoneThatOffersTheSliceIsTheDefault) {
  ASSERT_OK_AND_ASSIGN(const JobPlan large, PlanInBuckets("topology: 'v3-32'"));
  EXPECT_EQ(large.geography().zone(), "europe-west4-a");
  EXPECT_FALSE(large.geography().zone_asked());
  ASSERT_OK_AND_ASSIGN(const JobPlan small, PlanInBuckets("topology: 'v3-8'"));
  EXPECT_EQ(small.geography().zone(), "us-central1-b");
}

TEST(GeographyTest, ASliceThatIsOfferedNowhereHasNoZone) {
  const std::string mine =
      "topology: 'v3-48' hardware { generations { name: 'v3'"
      " slices { name: 'v3-48' chips: [4, 6] } } } ";
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       PlanInBuckets(mine + "bucket_location: 'us'"));
  EXPECT_EQ(plan.geography().zone(), "");
  EXPECT_FALSE(HasLink(plan.geography().buckets(0)));
  EXPECT_THAT(PlanInBuckets(mine + "bucket_location: 'us'"
                                   " require_same_region: true"),
              StatusIs(kInvalid,
                       HasSubstr("no zone offers v3-48, so that its region is "
                                 "not known; leave require_same_region out")));
}

BucketPlace PlaceIn(const std::string& location) {
  const auto plan =
      PlanInBuckets("topology: 'v3-32' bucket_location: '" + location + "'");
  EXPECT_THAT(plan, IsOk());
  return plan->geography().buckets(0);
}

TEST(GeographyTest, NearnessIsTheLocationsToThePod) {
  EXPECT_EQ(PlaceIn("EUROPE-WEST4").nearness(), BucketPlace::SAME_REGION);
  EXPECT_EQ(PlaceIn("eur4").nearness(), BucketPlace::AROUND);
  EXPECT_EQ(PlaceIn("eu").nearness(), BucketPlace::AROUND);
  EXPECT_EQ(PlaceIn("us-central1").nearness(), BucketPlace::ELSEWHERE);
  EXPECT_EQ(PlaceIn("nam4").nearness(), BucketPlace::ELSEWHERE);
  EXPECT_EQ(PlaceIn("eur4").kind(), "dual-region");
  EXPECT_EQ(PlaceIn("eu").said_by(), "bucket_location");
}

TEST(GeographyTest, APlaceChangesNoHash) {
  ASSERT_OK_AND_ASSIGN(
      const JobPlan plan,
      PlanInBuckets("topology: 'v3-32' bucket_location: 'us-central1'"));
  EXPECT_TRUE(plan.has_geography());
  EXPECT_EQ(HashOf(plan.bits()), plan.hash());
}

TEST(GeographyTest, TheStoreSaysWhereABucketIs) {
  ASSERT_OK_AND_ASSIGN(
      const JobPlan plan,
      PlanInBuckets("topology: 'v3-32'", {},
                    {{"gs://data", "EUROPE-WEST4"}, {"gs://other", "US"}}));
  ASSERT_EQ(plan.geography().buckets_size(), 2);
  const BucketPlace& data = plan.geography().buckets(0);
  EXPECT_EQ(data.bucket(), "gs://data");
  EXPECT_EQ(data.location(), "europe-west4");
  EXPECT_EQ(data.said_by(), "the store");
  EXPECT_THAT(data.settings(), ElementsAre("data_dir"));
  const BucketPlace& models = plan.geography().buckets(1);
  EXPECT_EQ(models.location(), "");
  EXPECT_EQ(models.nearness(), BucketPlace::NOT_KNOWN);
  EXPECT_FALSE(HasLink(models));
}

TEST(GeographyTest, WhatIsStatedMustBeWhatTheStoreSays) {
  const std::string stated = "topology: 'v3-32' bucket_location: 'eur4'";
  EXPECT_THAT(PlanInBuckets(stated, {}, {{"gs://data", "EUR4"}}), IsOk());
  EXPECT_THAT(PlanInBuckets(stated, {}, {{"gs://data", "US"}}),
              StatusIs(kInvalid,
                       HasSubstr("bucket_location is eur4, but the store says "
                                 "that gs://data is in us")));
}

TEST(GeographyTest, APlaceThatTheTableHasNotIsNotKnown) {
  ASSERT_OK_AND_ASSIGN(
      const JobPlan plan,
      PlanInBuckets("topology: 'v3-32'", {}, {{"gs://data", "MOON\n1"}}));
  EXPECT_EQ(plan.geography().buckets(0).location(), "");
  EXPECT_THAT(plan.notes(),
              ::testing::Contains(HasSubstr("is in 'MOON\\n1', which the")));
}

TEST(GeographyTest, TheSameRegionCanBeRequired) {
  const std::string required = "topology: 'v3-32' require_same_region: true ";
  EXPECT_THAT(PlanInBuckets(required),
              StatusIs(kInvalid, HasSubstr("require_same_region: it is not "
                                           "known where gs://data is")));
  EXPECT_THAT(
      PlanInBuckets(required + "bucket_location: 'us-central1'"),
      StatusIs(kInvalid,
               AllOf(HasSubstr("gs://data is in us-central1"),
                     HasSubstr("the pod in europe-west4-a"),
                     HasSubstr("make a bucket in europe-west4 and copy"))));
  for (const char* location : {"europe-west4", "eur4", "eu"})
    EXPECT_THAT(PlanInBuckets(required + "bucket_location: '" + location + "'"),
                IsOk())
        << location;
  // One of two buckets is enough to refuse.
  EXPECT_THAT(
      PlanInBuckets(required, {},
                    {{"gs://data", "EUROPE-WEST4"}, {"gs://models", "US"}}),
      StatusIs(kInvalid, HasSubstr("gs://models is in us")));
}

TEST(GeographyTest, ABucketElsewhereIsWarnedOf) {
  ASSERT_OK_AND_ASSIGN(
      const JobPlan away,
      PlanInBuckets("topology: 'v3-32' bucket_location: 'us-central1'"));
  EXPECT_THAT(WarningTexts(away),
              ::testing::Contains(HasSubstr("gs://data is in us-central1, the "
                                            "pod in europe-west4")));
  ASSERT_OK_AND_ASSIGN(
      const JobPlan here,
      PlanInBuckets("topology: 'v3-32' bucket_location: 'eur4'"));
  EXPECT_THAT(WarningTexts(here),
              ::testing::Not(::testing::Contains(HasSubstr("gs://"))));
}

TEST(GeographyTest, BytesAreThoseOfTheFilesAndOfTheWholeRun) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, PlanInBuckets("topology: 'v3-32'"));
  const JobGeography& geography = plan.geography();
  EXPECT_EQ(geography.example_bytes(), 28 * 28 + 1);
  // 100 steps of 32 x 128, and the 10,000 held out once.
  EXPECT_EQ(geography.read_bytes(), 785 * (100 * 4096 + 10'000));
  EXPECT_EQ(geography.checkpoint_bytes(), 2 * 4 * 101'770);
  EXPECT_EQ(geography.checkpoints(), 4);
  EXPECT_EQ(geography.restore_bytes(), 0);
}

TEST(GeographyTest, CheckpointsAndEvaluationsAreCounted) {
  const auto checkpoints = [](const std::string& text) {
    return PlanInBuckets("topology: 'v3-32' " + text)->geography();
  };
  EXPECT_EQ(checkpoints("checkpoint_every: 30").checkpoints(), 4);
  EXPECT_EQ(checkpoints("checkpoint_every: 0").checkpoints(), 1);
  EXPECT_EQ(checkpoints("checkpoint_every_seconds: 5").checkpoints(), 0);
  EXPECT_EQ(checkpoints("steps_per_eval: 40").read_bytes(),
            785 * (100 * 4096 + 3 * 10'000));
  const JobGeography evaluated = checkpoints("mode: eval");
  EXPECT_EQ(evaluated.read_bytes(), 785 * 10'000);
  EXPECT_EQ(evaluated.checkpoint_bytes(), 0);
  EXPECT_EQ(evaluated.restore_bytes(), 814'160);
}

TEST(GeographyTest, OnlyWhatLiesInABucketIsCounted) {
  ASSERT_OK_AND_ASSIGN(const JobPlan data,
                       PlanInBuckets("topology: 'v3-32'", {.model_dir = "/m"}));
  EXPECT_GT(data.geography().read_bytes(), 0);
  EXPECT_EQ(data.geography().checkpoint_bytes(), 0);
  ASSERT_OK_AND_ASSIGN(const JobPlan models,
                       PlanInBuckets("topology: 'v3-32'", {.data_dir = "/d"}));
  EXPECT_EQ(models.geography().read_bytes(), 0);
  EXPECT_EQ(models.geography().checkpoint_bytes(), 814'160);
}

TEST(GeographyTest, RatesAreTheLeastOfLineShareAndReadsInFlight) {
  // The host's line, 2e9.
  EXPECT_EQ(ReadRate(PlaceIn("europe-west4"), 4), 2e9);
  EXPECT_EQ(ReadRate(PlaceIn("us-central1"), 4), 4e8);
  // 25e9 among 256 hosts; 6.25e9 of a multi-region among 16.
  EXPECT_EQ(ReadRate(PlaceIn("europe-west4"), 256), 97'656'250);
  EXPECT_EQ(ReadRate(PlaceIn("eu"), 16), 390'625'000);
  // 16 reads of 8 MiB in 2 s; a write does not wait for them.
  ASSERT_OK_AND_ASSIGN(
      const JobPlan slow,
      PlanInBuckets("topology: 'v3-32' bucket_location: 'us-central1' links {"
                    " links { from: 'us-central1' to: 'europe'"
                    " round_trip_seconds { value: 2 } } }"));
  EXPECT_EQ(ReadRate(slow.geography().buckets(0), 4), 67'108'864);
  EXPECT_EQ(WriteRate(slow.geography().buckets(0), 4), 4e8);
  // Of four that have those reads together.
  EXPECT_EQ(ReadRate(slow.geography().buckets(0), 4, 4), 16'777'216);
  EXPECT_EQ(ReadRate(PlaceIn("us-central1"), 4, 2), 4e8) << "the line's";
}

}  // namespace
}  // namespace podsim
