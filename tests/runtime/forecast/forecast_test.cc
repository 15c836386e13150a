// Forecasts of a real program by what must hold of them.
#include "runtime/forecast/forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "models/optimizer/optimizer.h"
#include "models/zoo/zoo.h"
#include "tests/models/graph/toy_program.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

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

// With a batch norm over 16 cores, whose sums stop the pass on its way.
Program Normed() {
  ModelConfig config;
  config.set_name("lenet5_bn");
  for (const int side : {28, 28}) config.add_example_shape(side);
  config.set_classes(10);
  config.set_batch_norm_group(16);
  auto program = BuildProgram(config, {});
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
  std::int64_t gradients = 0;
  for (const GradientBucket& bucket : program.buckets)
    gradients += bucket.count;
  ASSERT_EQ(parts.sums.size(), 1);  // 2.7 MB in one
  EXPECT_EQ(parts.sums[0].time,
            PriceCollective(slice, {.bytes = 4 * gradients})->time);
  EXPECT_TRUE(parts.sums[0].holds_cores);
  EXPECT_EQ(parts.sums[0].needed, parts.update);
  SimTime compute;
  SimTime update;
  for (std::size_t i = 0; i < parts.kernels.size(); ++i)
    (static_cast<std::int32_t>(i) < parts.update ? compute : update) +=
        parts.kernels[i];
  SimTime kernels;
  for (const KernelTime& kernel : TimesOf(chip.program, slice.chip()))
    kernels += kernel.time;
  EXPECT_EQ(compute + update, kernels);
  EXPECT_GT(update, SimTime());
  EXPECT_EQ(parts.fixed, SimTime::Seconds(slice.chip().step_seconds));
  ASSERT_OK_AND_ASSIGN(const SimStep step,
                       ForecastStep(program, slice, options, sums));
  EXPECT_EQ(step.compute, compute);
  EXPECT_EQ(step.update, update);
  EXPECT_EQ(step.exposed_communication, parts.sums[0].time);
  EXPECT_EQ(
      step.total,
      std::max(step.input, kernels + step.exposed_communication) + parts.fixed);
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
  const StepOptions options = {.batch_per_core = 128, .combine_bytes = 4};
  ASSERT_OK_AND_ASSIGN(const ChipStep chip,
                       ChipStepFor(program, slice, options));
  ASSERT_OK_AND_ASSIGN(const StepParts parts,
                       PriceStep(program, chip, slice, options, sums));
  ASSERT_EQ(parts.sums.size(), 3U);
  // The last layer's, the first kernel's, and what is made last of all.
  const std::size_t travel[] = {2, 0, 1};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(
        parts.sums[i].time,
        PriceCollective(slice, {.bytes = 4 * program.buckets[travel[i]].count})
            ->time);
  EXPECT_LT(parts.sums[0].ready, parts.sums[1].ready);
  EXPECT_LT(parts.sums[0].ready + 1, parts.update);
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
  for (std::int32_t i = 0; i < part.update; ++i) pass += part.kernels[i];
  std::int64_t gradients = 0;
  for (const auto& bucket : program.buckets) gradients += bucket.count;
  const double sum =
      12.0 * static_cast<double>(gradients) /
      (slice.chip().hbm_bytes_per_second * slice.chip().hbm_share);
  EXPECT_EQ(part.earlier, SimTime());
  EXPECT_NEAR(parts.earlier.seconds(), 3 * (pass.seconds() + sum), 1e-11);
  EXPECT_EQ(parts.kernels.size(), part.kernels.size());
  ASSERT_EQ(parts.sums.size(), part.sums.size());
  for (std::size_t i = 0; i < parts.sums.size(); ++i)
    EXPECT_EQ(parts.sums[i].time, part.sums[i].time);
}

StepParts PartsOf(const Program& program, const Slice& slice,
                  const StepOptions& options) {
  SumPrices sums(slice);
  const auto chip = ChipStepFor(program, slice, options);
  PODSIM_CHECK(chip.ok());
  const auto parts = PriceStep(program, *chip, slice, options, sums);
  PODSIM_CHECK(parts.ok());
  return *parts;
}

// On v4 sums travel while kernels run: each bucket alone is hidden better.
TEST(ForecastStep, GradientsTravelInAsManySumsAsTheJobSays) {
  const Program program = Mlp();
  const Slice v4 = *FindSlice("v4-32");
  const StepParts one = PartsOf(program, v4, {.batch_per_core = 4096});
  const StepParts apart =
      PartsOf(program, v4, {.batch_per_core = 4096, .combine_bytes = 4});
  EXPECT_EQ(one.sums.size(), 1);
  EXPECT_EQ(apart.sums.size(), program.buckets.size());
  EXPECT_FALSE(one.sums[0].holds_cores);
  const SimStep together = OverlapStep(one);
  EXPECT_EQ(together.exposed_communication, together.communication);
  EXPECT_LT(OverlapStep(apart).exposed_communication,
            OverlapStep(apart).communication);
  EXPECT_EQ(together.fixed, SimTime());
}

// Each core writes its share of the weights and reads all of them.
TEST(ForecastStep, AShardedUpdateIsShortAndTheWeightsTravelBack) {
  const Program program = Mlp();
  const Slice slice = *FindSlice("v3-128");
  const StepParts whole = PartsOf(program, slice, {.batch_per_core = 128});
  const StepParts sharded =
      PartsOf(program, slice, {.batch_per_core = 128, .sharded_update = true});
  ASSERT_EQ(sharded.sums.size(), 2);
  EXPECT_EQ(sharded.sums[1].ready + 1, sharded.kernels.size());
  EXPECT_EQ(sharded.sums[1].needed, sharded.kernels.size());
  EXPECT_LT(sharded.sums[0].time, whole.sums[0].time);
  const SimTime least = SimTime::Seconds(
      slice.chip().kernel_seconds *
      static_cast<double>(whole.kernels.size() - whole.update));
  EXPECT_GE(OverlapStep(sharded).update, least);
  EXPECT_LT(OverlapStep(sharded).update, OverlapStep(whole).update);
  EXPECT_EQ(OverlapStep(sharded).compute, OverlapStep(whole).compute);
}

// Never below the kernels alone, nor below the links, nor above their sum.
void ExpectWithinParts(const SimStep& step) {
  const SimTime cores = step.compute + step.update;
  EXPECT_GE(step.total, cores + step.fixed);
  EXPECT_GE(step.total, step.communication + step.fixed);
  EXPECT_LE(step.total,
            std::max({cores + step.communication, step.input}) + step.fixed);
}

TEST(ForecastStep, StaysWithinItsParts) {
  for (const Program& program : {Mlp(), Normed()})
    for (const char* name : {"v2-32", "v3-32", "v3-2048", "v4-128",
                             "v5litepod-64", "v6e-256", "tpu7x-128"})
      for (const std::int64_t batch : {8, 1024})
        for (const std::int64_t combined : {4LL, 120LL << 20})
          for (const bool sharded : {false, true}) {
            SCOPED_TRACE(program.name + " on " + name);
            ExpectWithinParts(
                OverlapStep(PartsOf(program, *FindSlice(name),
                                    {.batch_per_core = batch,
                                     .combine_bytes = combined,
                                     .sharded_update = sharded})));
          }
}

// Nothing that gets slower, larger or farther away makes a step shorter.
TEST(ForecastStep, IsMonotoneInBytesHopsAndRates) {
  for (const Program& program : {Mlp(), Normed()}) {
    SCOPED_TRACE(program.name);
    const auto total = [&](const Slice& slice, const StepOptions& options) {
      return OverlapStep(PartsOf(program, slice, options)).total;
    };
    for (const char* name : {"v2-32", "v3-128", "v4-32", "v6e-16"}) {
      SCOPED_TRACE(name);
      const Slice slice = *FindSlice(name);
      const StepOptions options = {.batch_per_core = 64};
      const SimTime plain = total(slice, options);
      EXPECT_LE(total(slice, {.batch_per_core = 64, .gradient_bytes = 2}),
                plain);
      EXPECT_LE(plain, total(slice, {.batch_per_core = 128}));
      Slice far = slice;
      far.figures.hop_seconds *= 3;
      EXPECT_LT(plain, total(far, options));
      for (double ChipFigures::*rate :
           {&ChipFigures::matrix_flops, &ChipFigures::hbm_bytes_per_second,
            &ChipFigures::link_share, &ChipFigures::clock_hz,
            &ChipFigures::host_bytes_per_second_per_chip}) {
        Slice slow = slice;
        slow.figures.*rate /= 2;
        EXPECT_LE(plain, total(slow, options));
      }
      // What v2 and v3 take of a step's fixed cost hides nothing.
      Slice links = slice;
      links.figures.link_share /= 2;
      EXPECT_LT(plain, total(links, options));
      Slice hbm = slice;
      hbm.figures.hbm_bytes_per_second /= 2;
      EXPECT_LT(plain, total(hbm, options));
    }
  }
}

// The same links, closed to rings, with more chips along them: more hops, and
// no step shorter.
TEST(ForecastStep, IsMonotoneInTheHopsOfItsSums) {
  for (const Program& program : {Mlp(), Normed()})
    for (const auto& [near, far] :
         {std::pair("v3-32", "v3-512"), std::pair("v4-128", "v4-1024")}) {
      SCOPED_TRACE(program.name + " on " + far);
      const StepOptions options = {.batch_per_core = 64};
      const SimStep least =
          OverlapStep(PartsOf(program, *FindSlice(near), options));
      const SimStep most =
          OverlapStep(PartsOf(program, *FindSlice(far), options));
      EXPECT_LT(least.communication, most.communication);
      EXPECT_LE(least.total, most.total);
    }
}

// One link at a hundredth of its rate holds up the sum, and the step by as
// much.
TEST(ForecastStep, ASlowLinkHoldsUpTheStep) {
  const Program program = Mlp();
  const Slice sound = *FindSlice("v3-32");
  Slice slow = sound;
  slow.link_faults = {{.from = {0, 0, 0}, .to = {1, 0, 0}, .rate = 0.01}};
  const StepOptions options = {.batch_per_core = 64};
  const SimStep before = OverlapStep(PartsOf(program, sound, options));
  const SimStep after = OverlapStep(PartsOf(program, slow, options));
  EXPECT_GT(after.communication, before.communication);
  EXPECT_EQ(after.total - before.total,
            after.communication - before.communication);
  EXPECT_EQ(after.compute, before.compute);
}

TEST(SumPrices, MovedFiguresKeepTheAlgorithmAndWhatIsNotOnTheLinks) {
  const Slice slice = *FindSlice("v3-32");
  SumPrices sums(slice);
  EXPECT_EQ(sums.OfLargest(), std::nullopt);
  ASSERT_OK_AND_ASSIGN(const SumPrice before, sums.Of(1 << 20, 4));
  EXPECT_EQ(sums.OfLargest(), before.algorithm);
  const Move software = {{{&ChipFigures::collective_seconds,
                           slice.chip().collective_seconds + 1e-3}}};
  ASSERT_OK_AND_ASSIGN(const SumPrice later,
                       sums.Moved(software.In(slice), software).Of(1 << 20, 4));
  EXPECT_EQ(later.network, before.network);
  EXPECT_EQ(later.time, before.time + SimTime::Seconds(1e-3));
  const Move share = {{{&ChipFigures::link_share, slice.chip().link_share / 2}},
                      /*on_links=*/true};
  ASSERT_OK_AND_ASSIGN(const SumPrice slower,
                       sums.Moved(share.In(slice), share).Of(1 << 20, 4));
  EXPECT_EQ(slower.algorithm, before.algorithm);
  EXPECT_GT(slower.network.seconds(), 1.5 * before.network.seconds());
}

// With a sharded update there is no all-reduce, but sums there are.
TEST(SumPrices, TheLargestSumIsThatOfTheMostBytes) {
  SumPrices sums(*FindSlice("v3-512"));
  ASSERT_OK_AND_ASSIGN(const SumPrice large,
                       sums.Of(1 << 24, 4, Collective::kReduceScatter));
  ASSERT_OK_AND_ASSIGN(const SumPrice small, sums.Of(1 << 4, 4));
  EXPECT_NE(large.algorithm, small.algorithm);
  EXPECT_EQ(sums.OfLargest(), large.algorithm);
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
