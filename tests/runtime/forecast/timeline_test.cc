// Timelines worked out by hand.
#include "runtime/forecast/timeline.h"

#include <gtest/gtest.h>

#include "runtime/forecast/overlap_step.h"

namespace podsim {
namespace {

SimTime Us(std::int64_t us) { return SimTime::Picoseconds(us * 1'000'000); }

TEST(RunTimeline, AResourceTakesItsPartsInOrder) {
  //  cores  0---10  10--14
  //  links  0----------------20
  const auto spans =
      RunTimeline({{.time = Us(10)},
                   {.resource = SimResource::kLinks, .time = Us(20)},
                   {.time = Us(4)}});
  EXPECT_EQ(spans[0].end, Us(10));
  EXPECT_EQ(spans[1].begin, Us(0));
  EXPECT_EQ(spans[1].end, Us(20));
  EXPECT_EQ(spans[2].begin, Us(10));
  EXPECT_EQ(spans[2].end, Us(14));
}

TEST(RunTimeline, APartThatNeedsBothHoldsBothAndWaitsForWhatItNeeds) {
  //  cores  0---10        25--30  30-31
  //  links        10---25 25--30
  const auto spans = RunTimeline(
      {{.time = Us(10)},
       {.resource = SimResource::kLinks, .time = Us(15), .after = {0}},
       {.resource = SimResource::kBoth, .time = Us(5)},
       {.time = Us(1)}});
  EXPECT_EQ(spans[1].begin, Us(10));
  EXPECT_EQ(spans[2].begin, Us(25));
  EXPECT_EQ(spans[3].begin, Us(30));
}

TEST(OverlapStep, OneBucketIsHeldBehindThePassAndHoldsTheUpdate) {
  //  cores  0----11        16-18
  //  links       11-----16
  const SimStep step = OverlapStep({.input = Us(3),
                                    .kernels = {Us(5), Us(6), Us(2)},
                                    .update = 2,
                                    .sums = {{1, 2, Us(5)}}});
  EXPECT_EQ(step.compute, Us(11));
  EXPECT_EQ(step.update, Us(2));
  EXPECT_EQ(step.communication, Us(5));
  EXPECT_EQ(step.exposed_communication, Us(5));
  EXPECT_EQ(step.total, Us(18));
}

// The second layer's gradients travel while the first one's are made, and its
// update runs while those travel.
StepParts TwoLayers(bool holds_cores) {
  return {.kernels = {Us(10), Us(4), Us(16), Us(1), Us(1)},
          .update = 3,
          .sums = {{1, 3, Us(12), holds_cores}, {2, 4, Us(7), holds_cores}}};
}

TEST(OverlapStep, TwoBucketsAreHiddenWhereTheChipHidesThem) {
  //  cores  0---10-14------------30-31    37-38
  //  links        14--------26   30-----37
  const SimStep step = OverlapStep(TwoLayers(false));
  EXPECT_EQ(step.compute, Us(30));
  EXPECT_EQ(step.communication, Us(19));
  EXPECT_EQ(step.exposed_communication, Us(6));
  EXPECT_EQ(step.total, Us(38));
}

TEST(OverlapStep, AndAreExposedWhereItDoesNot) {
  //  cores  0---10-14       26-------42       49-50-51
  //  links         14----26           42----49
  const SimStep step = OverlapStep(TwoLayers(true));
  EXPECT_EQ(step.exposed_communication, Us(19));
  EXPECT_EQ(step.total, Us(51));
}

TEST(OverlapStep, ACollectiveOnThePathStopsThePass) {
  // A mean over cores behind the first kernel, which the second one reads.
  //  cores  0---10  13---17---33       41-42
  //  links      10-13           33---41
  const SimStep step = OverlapStep({.kernels = {Us(10), Us(4), Us(16), Us(1)},
                                    .update = 3,
                                    .sums = {{0, 1, Us(3)}, {2, 3, Us(8)}}});
  EXPECT_EQ(step.compute, Us(30));
  EXPECT_EQ(step.exposed_communication, Us(11));
  EXPECT_EQ(step.total, Us(42));
}

TEST(OverlapStep, AMeanInMidPassWaitsForTheGradientsThatTravel) {
  // In the backward pass, behind a bucket: the links carry one at a time.
  //  cores  0---10---14         21--37  37-38
  //  links      10-------18-21
  const SimStep step = OverlapStep({.kernels = {Us(10), Us(4), Us(16), Us(1)},
                                    .update = 3,
                                    .sums = {{0, 3, Us(8)}, {1, 2, Us(3)}}});
  EXPECT_EQ(step.exposed_communication, Us(7));
  EXPECT_EQ(step.total, Us(38));
}

TEST(OverlapStep, LinksThatFallBehindHoldTheUpdate) {
  // The first sum ends at 110, the second, ready at 20, at 115.
  const SimStep step = OverlapStep({.kernels = {Us(10), Us(10), Us(1)},
                                    .update = 2,
                                    .sums = {{0, 2, Us(100)}, {1, 2, Us(5)}}});
  EXPECT_EQ(step.exposed_communication, Us(95));
  EXPECT_EQ(step.total, Us(116));
}

TEST(OverlapStep, WeightsThatTravelBackHoldTheStepsEnd) {
  const SimStep step = OverlapStep({.kernels = {Us(10), Us(1)},
                                    .update = 1,
                                    .sums = {{0, 1, Us(4)}, {1, 2, Us(6)}}});
  EXPECT_EQ(step.exposed_communication, Us(10));
  EXPECT_EQ(step.total, Us(21));
}

TEST(OverlapStep, InputCountsOnlyWhereItIsTheLongestAndTheFixedCostAlways) {
  StepParts parts{.input = Us(12), .kernels = {Us(10), Us(2)}, .update = 1};
  EXPECT_EQ(OverlapStep(parts).total, Us(12));
  parts.input = Us(13);
  EXPECT_EQ(OverlapStep(parts).total, Us(13));
  EXPECT_DOUBLE_EQ(OverlapStep(parts).ExamplesPerSecond(13), 1e6);
  parts.store = Us(20);
  parts.fixed = Us(5);
  EXPECT_EQ(OverlapStep(parts).total, Us(25));
  EXPECT_EQ(OverlapStep(parts).exposed_communication, SimTime());
}

TEST(OverlapStep, EarlierPassesComeBeforeTheKernels) {
  const SimStep step = OverlapStep({.earlier = Us(30),
                                    .kernels = {Us(10), Us(1)},
                                    .update = 1,
                                    .sums = {{0, 1, Us(4)}}});
  EXPECT_EQ(step.compute, Us(40));
  EXPECT_EQ(step.total, Us(45));
}

TEST(TimelineOf, NamesEachPartAndItsResource) {
  const auto spans = TimelineOf(TwoLayers(false));
  ASSERT_EQ(spans.size(), 7);
  EXPECT_EQ(spans[2].kind, SimSpan::Kind::kSum);
  EXPECT_EQ(spans[2].index, 0);
  EXPECT_EQ(spans[2].resource, SimResource::kLinks);
  EXPECT_EQ(spans[2].time.begin, Us(14));
  EXPECT_EQ(spans[3].kind, SimSpan::Kind::kKernel);
  EXPECT_EQ(spans[3].index, 2);
  EXPECT_EQ(spans[3].time.end, Us(30));
}

}  // namespace
}  // namespace podsim
