// Forecasts of planned jobs by what must hold of them, and their words.
#include "runtime/forecast/job_forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/forecast/format_forecast.h"
#include "runtime/job/spec_check.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::PlanOf;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

struct Forecast {
  JobPlan plan;
  Slice slice;
  JobForecast job;
  LadderFoot foot;
};

Forecast Made(const std::string& text) {
  Forecast made;
  const auto plan = PlanOf(text);
  EXPECT_THAT(plan, testing::IsOk());
  made.plan = *plan;
  const Hardware hardware = HardwareOf(plan->spec());
  made.slice = *SliceNamed(plan->bits().slice(), plan->spec());
  const auto job = ForecastJob(
      made.plan, made.slice, *FindGeneration(hardware, made.slice.generation));
  EXPECT_THAT(job, testing::IsOk());
  made.job = *job;
  made.foot = *FootOf(made.plan, hardware, made.slice.generation);
  return made;
}

TEST(JobForecastTest, CountsWhatThePlanCounts) {
  const Forecast made = Made("topology: 'v3-32'");
  const JobForecast& job = made.job;
  EXPECT_EQ(job.global_batch, 256);
  EXPECT_EQ(job.steps, 500);
  EXPECT_EQ(job.chips, 16);
  EXPECT_EQ(job.replicas, 32);
  EXPECT_DOUBLE_EQ(job.seconds(), 500 * job.step.total.seconds());
  EXPECT_DOUBLE_EQ(job.chip_hours(), job.seconds() * 16 / 3600);
  EXPECT_DOUBLE_EQ(job.examples_per_second(), 256 / job.step.total.seconds());
  EXPECT_LT(job.band.low, job.step.total);
  EXPECT_GT(job.band.high, job.step.total);
  EXPECT_TRUE(job.algorithm.has_value());
}

TEST(JobForecastTest, TheFootOfTheLadderIsTheSmallestSliceThatTrains) {
  const Forecast small = Made("topology: 'v3-8'");
  EXPECT_EQ(small.foot.slice, "v3-8");
  EXPECT_DOUBLE_EQ(small.foot.examples_per_second_per_replica,
                   small.job.examples_per_second_per_replica());
  const Forecast large = Made("topology: 'v3-128'");
  EXPECT_DOUBLE_EQ(large.foot.examples_per_second_per_replica,
                   small.job.examples_per_second_per_replica());
  // v5litepod-1 has a board of one chip.
  EXPECT_EQ(Made("topology: 'v5litepod-16'").foot.slice, "v5litepod-4");
  EXPECT_EQ(Made("topology: 'v5litepod-1'").foot.slice, "v5litepod-1");
}

// A batch of 1 per core is no smaller a job's: what it loses against the
// reference's 8 is lost.
TEST(JobForecastTest, TheFootHasTheSliceAndTheBatchOfTheReference) {
  const JobForecast reference = Made("topology: 'v3-8'").job;
  const LadderFoot thin = Made("topology: 'v3-32' batch_per_core: 1").foot;
  EXPECT_EQ(thin.slice, "v3-8");
  EXPECT_EQ(thin.batch_per_core, 8);
  EXPECT_DOUBLE_EQ(thin.examples_per_second_per_replica,
                   reference.examples_per_second_per_replica());
  const LadderFoot named =
      Made(
          "topology: 'v3-128' batch_per_core: 4 reference_topology: 'v3-32' "
          "reference_batch_size: 512")
          .foot;
  EXPECT_EQ(named.slice, "v3-32");
  EXPECT_EQ(named.batch_per_core, 16);
  EXPECT_DOUBLE_EQ(named.examples_per_second_per_replica,
                   Made("topology: 'v3-32' batch_per_core: 16")
                       .job.examples_per_second_per_replica());
}

TEST(JobForecastTest, WithoutASliceOfItsGenerationTheFootIsTheSmallest) {
  // The recipe's reference is a v3-8 with 8 per core.
  const LadderFoot other =
      Made("topology: 'v5litepod-16' batch_per_core: 1").foot;
  EXPECT_EQ(other.slice, "v5litepod-4");
  EXPECT_EQ(other.batch_per_core, 8);
  const LadderFoot none = Made(
                              "topology: 'v3-128' batch_per_core: 1 "
                              "train_steps: 100 learning_rate: 0.1")
                              .foot;
  EXPECT_EQ(none.slice, "v3-8");
  EXPECT_EQ(none.batch_per_core, 1);
}

TEST(JobForecastTest, AReferencesBatchMayBeNoneOfItsMicrobatches) {
  const LadderFoot foot = Made(
                              "topology: 'v3-32' batch_per_core: 12 "
                              "reduction: tree microbatch_size: 6")
                              .foot;
  EXPECT_EQ(foot.batch_per_core, 8);
  EXPECT_DOUBLE_EQ(
      foot.examples_per_second_per_replica,
      Made("topology: 'v3-8'").job.examples_per_second_per_replica());
}

TEST(JobForecastTest, TheAlgorithmAndTheTypeAreTheJobs) {
  const std::string wide =
      "topology: 'v3-32' dataset: 'synthetic' hidden: [1024, 1024] ";
  const JobForecast best = Made(wide).job;
  const JobForecast ring = Made(wide + "ici_algorithm: ring").job;
  EXPECT_EQ(ring.algorithm, ChipAlgorithm::kRing);
  EXPECT_GT(ring.step.communication, best.step.communication);
  EXPECT_LT(Made(wide + "ici_dtype: bfloat16").job.step.communication,
            best.step.communication);
}

TEST(JobForecastTest, ATreeOfMicrobatchesHasAForecastToo) {
  const std::string job = "topology: 'v3-32' batch_per_core: 8 ";
  const JobForecast fused = Made(job).job;
  const JobForecast tree = Made(job + "reduction: tree microbatch_size: 2").job;
  // Four passes, each of which reads the weights.
  EXPECT_GT(tree.step.compute, fused.step.compute);
  EXPECT_EQ(tree.step.communication, fused.step.communication);
  EXPECT_EQ(tree.global_batch, fused.global_batch);
}

TEST(JobForecastTest, HardwareOfOnesOwnIsPriced) {
  const std::string job =
      "topology: 'v3-32' dataset: 'synthetic' hidden: [1024, 1024] ";
  const JobForecast shipped = Made(job).job;
  const JobForecast slow =
      Made(job +
           "hardware { generations { name: 'v3' link_bytes_per_second {"
           " value: 8.2e9 grade: ASSUMED } } }")
          .job;
  EXPECT_GT(slow.step.communication.seconds(),
            5 * shipped.step.communication.seconds());
}

TEST(JobForecastTest, BandHasTheMatrixUnitsShareInIt) {
  // Nearly all of it products: at 0.78 instead of 0.86 of the peak they take a
  // tenth longer, and the rest does not.
  const JobForecast job =
      Made(
          "topology: 'v3-8' dataset: 'synthetic' hidden: [4096, 4096]"
          " batch_per_core: 4096")
          .job;
  const double compute = (job.step.compute + job.step.update).seconds();
  EXPECT_STREQ(BoundOf(job.step), "compute");
  EXPECT_GE(job.band.high.seconds(), job.step.total.seconds() + 0.07 * compute);
  EXPECT_LE(job.band.high.seconds(), 1.2 * job.step.total.seconds());
  EXPECT_LE(job.band.low.seconds(), job.step.total.seconds() - 0.05 * compute);
}

// 24 layers of 8 MiB, bound by HBM traffic, which fit on chip or do not.
TEST(JobForecastTest, BandHasWhatStaysOnChipInIt) {
  std::string widths = "512";
  for (int i = 1; i < 24; ++i) widths += ", 512";
  const Forecast made = Made(
      "topology: 'v4-8' dataset: 'synthetic' batch_per_core: 4096 "
      "hidden: [" +
      widths + "]");
  Generation v4 = *FindGeneration(ShippedHardware(), "v4");
  v4.mutable_on_chip_bytes()->set_low(1);
  const auto high = [&](Grade grade) {
    v4.mutable_on_chip_bytes()->set_grade(grade);
    const auto job = ForecastJob(made.plan, made.slice, v4);
    EXPECT_THAT(job, testing::IsOk());
    return job->band.high;
  };
  EXPECT_GT(high(ASSUMED), high(PRIMARY));
}

TEST(BoundOfStep, IsWhatTakesLongest) {
  const auto us = [](int n) { return SimTime::Picoseconds(n * 1'000'000LL); };
  SimStep step = {.input = us(1),
                  .compute = us(5),
                  .update = us(1),
                  .exposed_communication = us(7)};
  EXPECT_STREQ(BoundOf(step), "the all-reduce");
  step.exposed_communication = us(6);
  EXPECT_STREQ(BoundOf(step), "compute");
  step.input = us(13);
  EXPECT_STREQ(BoundOf(step), "the input");
}

TEST(FormatForecastTest, SaysStepJobAndScaling) {
  const Forecast made = Made("topology: 'v3-128'");
  EXPECT_THAT(
      FormatForecast(made.job, made.foot, made.slice),
      ElementsAre(
          AllOf(HasSubstr(
                    " sim (2.07 to 7.17 ms), 65.3 us without the fixed cost "
                    "of a step: compute "),
                HasSubstr(" of it exposed"),
                HasSubstr(" meanwhile; bound by ")),
          AllOf(HasSubstr("examples/s; 125 steps take "),
                HasSubstr(" chip-hours")),
          AllOf(HasSubstr("scaling efficiency 100% against v3-8, 69% without "
                          "the fixed cost; 31% is exposed all-reduce")),
          HasSubstr("links of v3: made to fit")));
  const Forecast foot = Made("topology: 'v3-8'");
  EXPECT_EQ(FormatForecast(foot.job, foot.foot, foot.slice).size(), 3);
}

TEST(BriefForecastTest, IsOneSentence) {
  const Forecast made = Made("topology: 'v3-32'");
  EXPECT_EQ(BriefForecast(made.job, made.foot, made.slice),
            "5.05 ms sim (2.05 to 7.15 ms), 53.1 us without the fixed cost of "
            "a step, bound by the fixed cost; 500 steps take 2.53 s sim; "
            "scaling efficiency 100% against v3-8, 84% without the fixed cost; "
            "16% is exposed all-reduce");
  const Forecast foot = Made("topology: 'v3-8'");
  EXPECT_THAT(BriefForecast(foot.job, foot.foot, foot.slice),
              Not(HasSubstr("scaling efficiency")));
}

// A step that takes longer for other reasons too has no such share.
TEST(BriefForecastTest, BlamesTheAllReduceForNoMoreThanItsPart) {
  Forecast made = Made("topology: 'v3-32'");
  made.foot.exposed_seconds = made.job.step.exposed_communication.seconds();
  EXPECT_THAT(
      BriefForecast(made.job, made.foot, made.slice),
      EndsWith("; scaling efficiency 100% against v3-8, 84% without the "
               "fixed cost"));
}

TEST(BriefForecastTest, NamesTheBatchThatItComparesWith) {
  for (const std::string slice : {"v3-8", "v3-32"}) {
    const Forecast made = Made("topology: '" + slice + "' batch_per_core: 1");
    const std::string text = BriefForecast(made.job, made.foot, made.slice);
    EXPECT_THAT(text, HasSubstr("% against v3-8 with batch 8 per core"));
    EXPECT_THAT(FormatForecast(made.job, made.foot, made.slice),
                Contains(HasSubstr("against v3-8 with batch 8 per core")));
  }
}

TEST(FormatForecastTest, RangesNameTheirUnitOnce) {
  const auto us = [](std::int64_t us) {
    return SimTime::Picoseconds(us * 1'000'000);
  };
  EXPECT_EQ(RangeText({us(39), us(59)}), "39 to 59 us");
  EXPECT_EQ(RangeText({us(962), us(1200)}), "962 us to 1.2 ms");
}

// Two cores of a chip sum in passing; groups of 16 cores are two hosts of four.
TEST(ForecastJobTest, GroupsAreAmongTheirOwnChips) {
  const auto exposed = [](const std::string& group) {
    return Made("topology: 'v3-32' model: 'lenet5_bn' " + group)
        .job.step.communication;
  };
  EXPECT_EQ(exposed(""), exposed("batch_norm_group: 2"));
  EXPECT_LT(exposed("batch_norm_group: 2"), exposed("batch_norm_group: 16"));
  EXPECT_LT(exposed("batch_norm_group: 16"), exposed("batch_norm_group: 32"));
}

}  // namespace
}  // namespace podsim
