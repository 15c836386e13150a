// The same job with its bucket in the right and in the wrong region: its
// forecast by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "runtime/forecast/format_forecast.h"
#include "runtime/forecast/job_forecast.h"
#include "tests/runtime/job/geography_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::PlanInBuckets;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Without the fixed cost of a step, which would hide what is looked at.
JobForecast ForecastOf(const absl::StatusOr<JobPlan>& plan) {
  EXPECT_THAT(plan, testing::IsOk());
  Slice slice = *SliceNamed(plan->bits().slice(), plan->spec());
  slice.figures.step_seconds = 0;
  Generation generation = *FindGeneration(ShippedHardware(), slice.generation);
  generation.clear_step_seconds();
  const auto forecast = ForecastJob(*plan, slice, generation);
  EXPECT_THAT(forecast, testing::IsOk());
  return *forecast;
}

JobForecast In(const std::string& location, const std::string& text = "") {
  return ForecastOf(PlanInBuckets("topology: 'v3-32' bucket_location: '" +
                                  location + "' " + text));
}

// A host reads 803,840 bytes for a step, at 2e9 and at 4e8 bytes/s; compute and
// all-reduce of this network take less.
TEST(GeographyForecastTest, TheStepIsAsLongAsItsReadsWhereTheyAreLonger) {
  const JobForecast here = In("europe-west4");
  EXPECT_EQ(here.step.store, SimTime::Seconds(803'840 / 2e9));
  EXPECT_EQ(here.step.total, here.step.store);
  EXPECT_STREQ(BoundOf(here.step), "the store");
  const JobForecast away = In("us-central1");
  EXPECT_EQ(away.step.store, SimTime::Seconds(803'840 / 4e8));
  EXPECT_EQ(away.step.total, away.step.store);
  EXPECT_EQ(away.step.compute, here.step.compute);
  EXPECT_EQ(away.step.communication, here.step.communication);
}

// 16 reads of 8 MiB a second: 803,840 bytes at 134,217,728 bytes/s.
TEST(GeographyForecastTest, ALongRoundTripHidesNoMoreThanTheReadsInFlight) {
  const JobForecast slow =
      In("us-central1",
         "links { links { from: 'us-central1' to: 'europe-west4'"
         " round_trip_seconds { value: 1 } } }");
  EXPECT_EQ(slow.step.store, SimTime::Seconds(803'840 / 134'217'728.0));
}

TEST(GeographyForecastTest, ReadsThatAreShorterThanTheRestHide) {
  const std::string wide = "hidden: 8192 hidden: 8192 ";
  const JobForecast plain = ForecastOf(
      PlanInBuckets("topology: 'v3-32' zone: 'europe-west4-a' " + wide,
                    {.data_dir = "/d", .model_dir = "/m"}));
  const JobForecast here = In("europe-west4", wide);
  ASSERT_GT(plain.step.total.seconds(), 803'840 / 2e9);
  EXPECT_EQ(plain.step.store, SimTime());
  EXPECT_EQ(here.step.total, plain.step.total);
  EXPECT_EQ(plain.saves, std::nullopt);
}

// 814,160 bytes: over 16 chips' wires of 15e9 bytes/s each; then by 4 hosts,
// and a round trip of 30 or 130 ms. 25 steps of 401.92 us lie between two
// saves, or of 2,009.6 us: three saves wait for the write before them, and the
// end for its own.
TEST(GeographyForecastTest, TheJobHasItsCheckpointsInIt) {
  const JobForecast here = In("europe-west4");
  const JobForecast away = In("us-central1");
  const double pause = 814'160 / (16 * 15e9);
  for (const JobForecast& job : {here, away}) {
    ASSERT_TRUE(job.saves.has_value());
    EXPECT_EQ(job.saves->count, 4);
    EXPECT_EQ(job.saves->bytes, 814'160);
    EXPECT_EQ(job.saves->pause, SimTime::Seconds(pause));
  }
  EXPECT_EQ(here.saves->upload, SimTime::Seconds(0.03010177));
  EXPECT_EQ(away.saves->upload, SimTime::Seconds(0.13050885));
  const double here_waits = 3 * (0.03010177 - 25 * 401.92e-6);
  const double away_waits = 3 * (0.13050885 - 25 * 2009.6e-6);
  EXPECT_NEAR(here.saves->wait_seconds, here_waits, 1e-9);
  EXPECT_NEAR(away.saves->wait_seconds, away_waits, 1e-9);
  EXPECT_NEAR(here.seconds(),
              100 * 401.92e-6 + 4 * pause + here_waits + 0.03010177, 1e-9);
  EXPECT_NEAR(away.seconds(),
              100 * 2009.6e-6 + 4 * pause + away_waits + 0.13050885, 1e-9);
  EXPECT_DOUBLE_EQ(away.chip_hours(), away.seconds() * 16 / 3600);
}

// A write takes 30.1 ms; 50 steps are 20.1 ms, 80 are 32.2, the 20 that then
// are left 8.0.
TEST(GeographyForecastTest, HowLongSavesWaitHangsOnTheStepsBetween) {
  const auto waits = [](const std::string& every) {
    return In("europe-west4", "checkpoint_every: " + every).saves->wait_seconds;
  };
  EXPECT_EQ(waits("100"), 0);
  EXPECT_NEAR(waits("50"), 0.03010177 - 50 * 401.92e-6, 1e-9);
  EXPECT_NEAR(waits("80"), 0.03010177 - 20 * 401.92e-6, 1e-9);
  EXPECT_NEAR(waits("1"), 99 * (0.03010177 - 401.92e-6), 1e-9);
}

// Checkpoints alone in the bucket: the step is what it is without.
TEST(GeographyForecastTest, CheckpointsAloneLeaveTheStep) {
  const JobForecast job = ForecastOf(PlanInBuckets(
      "topology: 'v3-32' bucket_location: 'us-central1'", {.data_dir = "/d"}));
  EXPECT_EQ(job.step.store, SimTime());
  ASSERT_TRUE(job.saves.has_value());
  EXPECT_EQ(job.saves->upload, SimTime::Seconds(0.13050885));
}

// The step is the store's alone. At its low end, 6e9 bytes/s, reads in flight
// are the limit: 16 x 8 MiB in 30 ms. At its high ends the line has 5e8
// bytes/s, or the round trip takes 100 ms, which are added in squares.
TEST(GeographyForecastTest, TheBandHasTheDoubtsOfTheWayInIt) {
  const JobForecast here = In("europe-west4");
  const double step = 803'840 / 2e9;
  EXPECT_NEAR(here.band.low.seconds(), 803'840 * 0.03 / 134'217'728, 1e-11);
  const double line = 803'840 / 5e8 - step;
  const double trips = 803'840 * 0.1 / 134'217'728 - step;
  EXPECT_NEAR(here.band.high.seconds(),
              step + std::sqrt(line * line + trips * trips), 1e-11);
  const JobForecast known = In(
      "europe-west4",
      "links { links { from: 'same-region' round_trip_seconds { value: 0.01 }"
      " host_bytes_per_second { value: 2e9 } } }");
  EXPECT_EQ(known.step.total, here.step.total);
  EXPECT_EQ(known.band.high, known.step.total);
}

TEST(GeographyForecastTest, APlaceThatIsNotKnownTakesNoTime) {
  const JobForecast unknown = ForecastOf(PlanInBuckets("topology: 'v3-32'"));
  EXPECT_EQ(unknown.step.store, SimTime());
  EXPECT_EQ(unknown.saves, std::nullopt);
}

TEST(GeographyForecastTest, SaysStoreAndCheckpoints) {
  const auto plan =
      PlanInBuckets("topology: 'v3-32' bucket_location: 'us-central1'");
  const JobForecast job = ForecastOf(plan);
  const auto foot = FootOf(*plan, ShippedHardware(), "v3");
  ASSERT_THAT(foot, testing::IsOk());
  const auto text = FormatForecast(job, *foot, *FindSlice("v3-32"));
  ASSERT_EQ(text.size(), 5);
  EXPECT_THAT(text[0], AllOf(HasSubstr(", the store 2.01 ms meanwhile"),
                             HasSubstr("bound by the store")));
  EXPECT_THAT(text[1], HasSubstr("chip-hours with its checkpoints, without "
                                 "start-up and evaluation"));
  EXPECT_THAT(text[2],
              HasSubstr("4 checkpoints of 795.08 KiB: each stops the pod for "
                        "3.39 us sim and is written beside training in 131 ms "
                        "sim; it waits 241 ms in all for writes that are not "
                        "over, and the end waits for the last write: 371 ms in "
                        "all"));
  EXPECT_THAT(text[1], Not(HasSubstr("evaluation and checkpoints")));
}

}  // namespace
}  // namespace podsim
