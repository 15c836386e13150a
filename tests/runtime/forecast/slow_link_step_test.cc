// A step with one slow link, worked out by hand.
#include <gtest/gtest.h>

#include "runtime/forecast/overlap_step.h"
#include "runtime/forecast/sum_prices.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

SimTime WholeUs(std::int64_t us) {
  return SimTime::Picoseconds(us * 1'000'000);
}

// Four chips in a ring, in round figures: 1 GB/s and 1 us a hop, 1 TB/s of HBM,
// 33 us for software.
Slice FourChips() {
  Slice slice = *FindSlice("v3-8");
  slice.figures.link_bytes_per_second = 1e9;
  slice.figures.link_share = 1;
  slice.figures.hop_seconds = 1e-6;
  slice.figures.hbm_bytes_per_second_per_chip = 1e12;
  slice.figures.collective_seconds = 33e-6;
  return slice;
}

// 8 MB of gradients: a chip's segment is 2 MB, which goes in two pieces of t =
// 1 ms, from each chip to the next, six times: 3 to reduce, 3 to gather.
SimTime RingOf8Mb(const Slice& slice) {
  SumPrices sums(slice, ChipAlgorithm::kRing);
  const auto price = sums.Of(2'000'000, 4);
  EXPECT_THAT(price, testing::IsOk());
  return price->time;
}

// By equation (3) of docs/timing-model.md, each step anew; in ms, a = 0.001:
//   all sound    step i is sent from 2 i to 2 i + 2, and there a hop later:
//                5 x 2 + 2 + a = 12.001
//   one at 1/2   pieces take 2 ms there, and stand before it: what it sent in
//                step i comes round to it 3 (1 + a) + a later, for step i + 4,
//                which begins 4 x 4 later. So it never rests: 6 x 4 + a
//                = 24.001
// To that come software, 33 us, and the two cores of a chip, which add their 8
// MB, 3 x 8 us, and copy the result, 2 x 8 us.
TEST(SlowLink, TheRingsTimeByHand) {
  Slice slice = FourChips();
  EXPECT_EQ(RingOf8Mb(slice), WholeUs(12'001 + 33 + 24 + 16));
  slice.link_faults = {{.from = {0, 0}, .to = {1, 0}, .rate = 0.5}};
  EXPECT_EQ(RingOf8Mb(slice), WholeUs(24'001 + 33 + 24 + 16));
}

// v3 hides no all-reduce, so the update waits for all of it, and the step grows
// by all that the link costs; in us:
//   cores  0---10,000                    34,074--34,574
//   links       10,000-------------------34,074
TEST(SlowLink, TheStepByHand) {
  Slice slice = FourChips();
  const auto step_on = [](const Slice& of) {
    return OverlapStep({.input = WholeUs(100),
                        .kernels = {WholeUs(10'000), WholeUs(500)},
                        .update = 1,
                        .sums = {{.ready = 0,
                                  .needed = 1,
                                  .time = RingOf8Mb(of),
                                  .holds_cores = true}},
                        .fixed = WholeUs(5000)});
  };
  EXPECT_EQ(step_on(slice).total, WholeUs(10'000 + 12'074 + 500 + 5000));
  slice.link_faults = {{.from = {0, 0}, .to = {1, 0}, .rate = 0.5}};
  const SimStep slow = step_on(slice);
  EXPECT_EQ(slow.communication, WholeUs(24'074));
  EXPECT_EQ(slow.exposed_communication, WholeUs(24'074));
  EXPECT_EQ(slow.total, WholeUs(10'000 + 24'074 + 500 + 5000));
}

}  // namespace
}  // namespace podsim
