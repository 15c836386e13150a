// Overlap by hand-worked schedules, and forecasts of a real program by what
// must hold of them.
#include "runtime/forecast/forecast.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/status.h"
#include "models/optimizer/optimizer.h"
#include "models/zoo/zoo.h"
#include "tests/models/graph/toy_program.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

SimTime Us(std::int64_t us) { return SimTime::Picoseconds(us * 1'000'000); }

TEST(OverlapStep, WithoutCommunicationItIsComputeAndUpdate) {
  const SimStep step = OverlapStep(
      {.input = Us(3), .segments = {Us(5), Us(6)}, .update = Us(2)});
  EXPECT_EQ(step.compute, Us(11));
  EXPECT_EQ(step.communication, SimTime());
  EXPECT_EQ(step.exposed_communication, SimTime());
  EXPECT_EQ(step.total, Us(13));
}

TEST(OverlapStep, AllReducesHideBehindComputeAndRunOneAfterTheOther) {
  //  compute  0----10----14------------30
  //  wire          10---------18|18-20   30-----37
  //  update                                     37-38
  const SimStep step =
      OverlapStep({.segments = {Us(10), Us(4), Us(16)},
                   .buckets = {{1, Us(8)}, {2, Us(2)}, {3, Us(7)}},
                   .update = Us(1)});
  EXPECT_EQ(step.compute, Us(30));
  EXPECT_EQ(step.communication, Us(17));
  EXPECT_EQ(step.exposed_communication, Us(7));
  EXPECT_EQ(step.total, Us(38));
}

TEST(OverlapStep, ComputeWaitsForSumsInTheMiddleOfAPass) {
  //  compute  0----10  13----17-20---36
  //  wire            10-13   17-20 (its own) and 10-18 for the bucket
  const SimStep step = OverlapStep({.segments = {Us(10), Us(4), Us(16)},
                                    .buckets = {{1, Us(8)}},
                                    .exchanges = {{1, Us(3)}, {2, Us(3)}},
                                    .update = Us(1)});
  EXPECT_EQ(step.compute, Us(30));
  EXPECT_EQ(step.communication, Us(14));
  EXPECT_EQ(step.exposed_communication, Us(6));
  EXPECT_EQ(step.total, Us(37));
}

TEST(OverlapStep, AWireThatFallsBehindHoldsTheUpdate) {
  // The first all-reduce ends at 110, the second, ready at 20, at 115.
  const SimStep step = OverlapStep({.segments = {Us(10), Us(10)},
                                    .buckets = {{1, Us(100)}, {2, Us(5)}},
                                    .update = Us(1)});
  EXPECT_EQ(step.exposed_communication, Us(95));
  EXPECT_EQ(step.total, Us(116));
}

TEST(OverlapStep, InputCountsOnlyWhereItIsTheLongest) {
  StepParts parts{.input = Us(12), .segments = {Us(10)}, .update = Us(2)};
  EXPECT_EQ(OverlapStep(parts).total, Us(12));
  parts.input = Us(13);
  EXPECT_EQ(OverlapStep(parts).total, Us(13));
  EXPECT_DOUBLE_EQ(OverlapStep(parts).ExamplesPerSecond(13), 1e6);
}

Program Mlp() {
  ModelConfig config;
  config.set_name("mlp");
  for (const int side : {28, 28}) config.add_example_shape(side);
  config.set_classes(10);
  for (const int width : {512, 512}) config.add_hidden(width);
  auto program = BuildProgram(config, {.bucket_bytes = 1 << 20});
  EXPECT_THAT(program, testing::IsOk());
  return *std::move(program);
}

TEST(ForecastStep, PartsAreThoseOfThePricers) {
  const Program program = Mlp();
  const Slice slice = *FindSlice("v3-32");
  SumPrices sums(slice);
  const StepOptions options = {.batch_per_core = 128};
  ASSERT_OK_AND_ASSIGN(const ChipStep chip,
                       ChipStepFor(program, slice, options));
  ASSERT_OK_AND_ASSIGN(const StepParts parts,
                       PriceStep(program, chip, slice, options, sums));
  // 784 features, a label and a weight, 4 bytes each, of 2 x 128 examples.
  EXPECT_EQ(parts.input, SimTime::Seconds(256 * 786 * 4 / 15e9));
  ASSERT_EQ(parts.buckets.size(), program.buckets.size());
  for (std::size_t i = 0; i < parts.buckets.size(); ++i) {
    EXPECT_EQ(
        parts.buckets[i].all_reduce,
        PriceCollective(slice, {.bytes = 4 * program.buckets[i].count})->time);
    EXPECT_GE(parts.buckets[i].after_segments, 1);
    EXPECT_LE(parts.buckets[i].after_segments, parts.segments.size());
  }
  SimTime compute;
  for (const SimTime segment : parts.segments) compute += segment;
  SimTime kernels;
  for (const KernelTime& kernel : TimesOf(chip.program, slice.chip()))
    kernels += kernel.time;
  EXPECT_EQ(compute + parts.update, kernels);
  EXPECT_GT(parts.update, SimTime());
  ASSERT_OK_AND_ASSIGN(const SimStep step,
                       ForecastStep(program, slice, options, sums));
  EXPECT_EQ(step.compute, compute);
  EXPECT_EQ(
      step.total,
      std::max(step.input, compute + step.exposed_communication + step.update));
}

// Its last layer's sum begins before the pass ends, though its first layer's
// variables come first.
TEST(ForecastStep, OwnGradientsTravelWhileOthersAreMade) {
  testing::Toy toy;
  toy.BringGradients();
  toy.input.update = Optimizer;
  ASSERT_OK_AND_ASSIGN(const Program program,
                       Compile(toy.g, toy.input, {.bucket_bytes = 200}));
  ASSERT_EQ(program.buckets.size(), 3U);
  const Slice slice = *FindSlice("v3-32");
  SumPrices sums(slice);
  const StepOptions options = {.batch_per_core = 128};
  ASSERT_OK_AND_ASSIGN(const ChipStep chip,
                       ChipStepFor(program, slice, options));
  ASSERT_OK_AND_ASSIGN(const StepParts parts,
                       PriceStep(program, chip, slice, options, sums));
  ASSERT_EQ(parts.buckets.size(), 3U);
  // The last layer's, the first kernel's, and what is made last of all.
  const std::size_t travel[] = {2, 0, 1};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(
        parts.buckets[i].all_reduce,
        PriceCollective(slice, {.bytes = 4 * program.buckets[travel[i]].count})
            ->time);
  EXPECT_LT(parts.buckets[0].after_segments, parts.buckets[1].after_segments);
  EXPECT_LT(parts.buckets[0].after_segments, parts.segments.size());
}

// As published of real all-reduces: their time hardly grows with the slice.
TEST(ForecastStep, EqualBatchPerCoreScales) {
  const Program program = Mlp();
  double last_rate = 0;
  SimTime least = SimTime::Seconds(1);
  SimTime most;
  for (const char* name : {"v3-8", "v3-32", "v3-128", "v3-512", "v3-2048"}) {
    const Slice slice = *FindSlice(name);
    SumPrices sums(slice);
    ASSERT_OK_AND_ASSIGN(
        const SimStep step,
        ForecastStep(program, slice, {.batch_per_core = 4096}, sums));
    const double rate = step.ExamplesPerSecond(4096LL * slice.cores);
    EXPECT_GT(rate, last_rate) << name;
    last_rate = rate;
    least = std::min(least, step.communication);
    most = std::max(most, step.communication);
  }
  EXPECT_LE(most.seconds() / least.seconds(), 2);
}

// A pass over a part of the batch has to read its weights again, and its
// gradients are added to the others'.
TEST(ForecastStep, MicrobatchesAreSoManyPassesAndSums) {
  const Program program = Mlp();
  const Slice slice = *FindSlice("v3-32");
  SumPrices sums(slice);
  const auto parts_with = [&](const StepOptions& options) {
    const auto chip = ChipStepFor(program, slice, options);
    PODSIM_CHECK(chip.ok());
    const auto parts = PriceStep(program, *chip, slice, options, sums);
    PODSIM_CHECK(parts.ok());
    return *parts;
  };
  const StepParts part = parts_with({.batch_per_core = 32});
  const StepParts parts =
      parts_with({.batch_per_core = 128, .microbatches = 4});
  SimTime pass;
  for (const SimTime segment : part.segments) pass += segment;
  std::int64_t gradients = 0;
  for (const auto& bucket : program.buckets) gradients += bucket.count;
  const double sum =
      12.0 * static_cast<double>(gradients) /
      (slice.chip().hbm_bytes_per_second * slice.chip().hbm_share);
  ASSERT_EQ(parts.segments.size(), part.segments.size() + 1);
  EXPECT_NEAR(parts.segments[0].seconds(), 3 * (pass.seconds() + sum), 1e-11);
  ASSERT_EQ(parts.buckets.size(), part.buckets.size());
  for (std::size_t i = 0; i < parts.buckets.size(); ++i) {
    EXPECT_EQ(parts.buckets[i].after_segments,
              part.buckets[i].after_segments + 1);
    EXPECT_EQ(parts.buckets[i].all_reduce, part.buckets[i].all_reduce);
  }
}

TEST(SumPrices, MovedFiguresKeepTheAlgorithmAndWhatIsNotOnTheLinks) {
  const Slice slice = *FindSlice("v3-32");
  SumPrices sums(slice);
  EXPECT_EQ(sums.OfLargest(), std::nullopt);
  ASSERT_OK_AND_ASSIGN(const SumPrice before, sums.Of(1 << 20, 4));
  EXPECT_EQ(sums.OfLargest(), before.algorithm);
  const Move software = {&ChipFigures::collective_seconds,
                         slice.chip().collective_seconds + 1e-3};
  ASSERT_OK_AND_ASSIGN(const SumPrice later,
                       sums.Moved(software.In(slice), software).Of(1 << 20, 4));
  EXPECT_EQ(later.network, before.network);
  EXPECT_EQ(later.time, before.time + SimTime::Seconds(1e-3));
  const Move share = {&ChipFigures::link_share, slice.chip().link_share / 2,
                      /*on_links=*/true};
  ASSERT_OK_AND_ASSIGN(const SumPrice slower,
                       sums.Moved(share.In(slice), share).Of(1 << 20, 4));
  EXPECT_EQ(slower.algorithm, before.algorithm);
  EXPECT_GT(slower.network.seconds(), 1.5 * before.network.seconds());
}

TEST(SumPrices, OtherWaysAreSimulatedAgain) {
  const Slice slice = *FindSlice("v4-256", {.twist = true});
  SumPrices sums(slice, ChipAlgorithm::kDirect);
  ASSERT_OK_AND_ASSIGN(const SumPrice before, sums.Of(1 << 20, 4));
  const Move ways = {.on_links = true};
  ASSERT_OK_AND_ASSIGN(const SumPrice later,
                       sums.Moved(ways.In(slice), ways).Of(1 << 20, 4));
  EXPECT_GT(later.network, before.network);
}

TEST(SumPrices, AnAlgorithmThatIsAskedForIsTaken) {
  SumPrices ring(*FindSlice("v3-512"), ChipAlgorithm::kRing);
  ASSERT_OK_AND_ASSIGN(const SumPrice price, ring.Of(1 << 10, 4));
  EXPECT_EQ(price.algorithm, ChipAlgorithm::kRing);
}

TEST(ForecastStep, RefusesWhatDoesNotTrain) {
  const Slice slice = *FindSlice("v3-8");
  SumPrices sums(slice);
  EXPECT_THAT(ForecastStep(Mlp(), slice, {}, sums),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("batch per core 0")));
  Program empty;
  empty.name = "empty";
  EXPECT_THAT(ForecastStep(empty, slice, {.batch_per_core = 1}, sums),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("empty: the program does not train")));
}

}  // namespace
}  // namespace podsim
