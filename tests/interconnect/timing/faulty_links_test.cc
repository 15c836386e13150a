// Prices with slow and cut links.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "interconnect/timing/pricing.h"
#include "tests/interconnect/timing/price_of.h"

namespace podsim {
namespace {

using ::podsim::testing::PriceOf;

// What a plan sends over a slow link is what it costs, at the most twice: what
// is behind it waits, and goes on with what waits for that.
TEST(PriceCollective, ASlowLinkCostsWhatThePlanSendsOverIt) {
  for (const char* name : {"v3-32", "v2-512", "v4-128"}) {
    const Slice sound_slice = *FindSlice(name);
    for (const ChipAlgorithm algorithm :
         {ChipAlgorithm::kRing, ChipAlgorithm::kTorus, ChipAlgorithm::kTorusAll,
          ChipAlgorithm::kDirect}) {
      SCOPED_TRACE(absl::StrCat(name, " ", std::string(NameOf(algorithm))));
      const PriceRequest request = {.algorithm = algorithm, .bytes = 16 << 20};
      const Price sound = PriceOf(sound_slice, request);
      Slice slice = sound_slice;
      slice.link_faults = {{{0, 0}, {1, 0}, 1}};
      EXPECT_EQ(PriceOf(slice, request).time, sound.time);
      const double rate =
          slice.chip().link_bytes_per_second * slice.chip().link_share;
      const auto seconds_over = [&](const Price& price, double part) {
        const std::int64_t bytes =
            std::max(price.sent[DirectionOf(0, true)],
                     price.sent[kDirections * 1 + DirectionOf(0, false)]);
        return static_cast<double>(bytes) / rate / part;
      };
      SimTime last = sound.time;
      for (const double part : {0.5, 0.25, 0.1}) {
        slice.link_faults[0].rate = part;
        const Price slow = PriceOf(slice, request);
        EXPECT_GE(slow.time, last);
        last = slow.time;
        EXPECT_GE(slow.network.seconds(),
                  seconds_over(slow, part) * (1 - 1e-9));
        EXPECT_LE(slow.network.seconds(),
                  sound.network.seconds() + 2 * seconds_over(slow, part));
      }
      EXPECT_GT(last, sound.time);
    }
  }
}

// One link of a ring at half of its rate: once the pieces stand before it, one
// passes it each 2 t.
TEST(PriceCollective, ASlowLinkOfARingSetsItsPace) {
  Slice slice = *FindSlice("v3-32");
  slice.link_faults = {{{0, 0}, {1, 0}, 0.5}};
  const std::int64_t bytes = 64 << 20;
  const PriceRequest request = {.algorithm = ChipAlgorithm::kRing,
                                .bytes = bytes};
  const double rate =
      slice.chip().link_bytes_per_second * slice.chip().link_share;
  const int steps = 2 * (slice.chips - 1);
  const double over = steps * static_cast<double>(bytes) / slice.chips / rate;
  const Price slow = PriceOf(slice, request);
  EXPECT_GE(slow.network.seconds(), 2 * over);
  // And what the last piece takes to the end of its way.
  EXPECT_LE(slow.network.seconds(),
            2 * over * (1 + 2.0 / steps) + steps * slice.chip().hop_seconds);
}

// A wire that the ring does not use.
TEST(PriceCollective, ASlowLinkThatNobodyUsesCostsNothing) {
  Slice slice = *FindSlice("v3-32");
  const PriceRequest request = {.algorithm = ChipAlgorithm::kRing,
                                .bytes = 1 << 24};
  const Price sound = PriceOf(slice, request);
  const int unused = static_cast<int>(
      std::find(sound.sent.begin(), sound.sent.end(), 0) - sound.sent.begin());
  const Grid grid = GridOf(slice);
  for (int link = unused; link < static_cast<int>(sound.sent.size()); ++link) {
    const Coordinate from = PlaceOf(grid.size, link / kDirections);
    const auto to = Next(grid, from, link % kDirections);
    if (!to || sound.sent[link] > 0) continue;
    const int back = kDirections * IndexOf(grid.size, *to) + (link % 6 ^ 1);
    if (sound.sent[back] > 0) continue;
    slice.link_faults = {{from, *to, 0.01}};
    EXPECT_EQ(PriceOf(slice, request).time, sound.time);
    return;
  }
  FAIL() << "every wire is used";
}

TEST(PriceCollective, ACutLinkIsGoneRound) {
  Slice slice = *FindSlice("v3-32");
  const PriceRequest request = {.bytes = 1 << 24};
  const Price sound = PriceOf(slice, request);
  slice.link_faults = {{{0, 0}, {1, 0}, 0}};
  const Price cut = PriceOf(slice, request);
  EXPECT_GT(cut.time, sound.time);
  EXPECT_EQ(cut.sent[DirectionOf(0, true)], 0);
}

// To the picosecond, of plans that a mesh's mirror images share.
TEST(PriceCollective, MirroredCutsCostTheSame) {
  Slice slice = *FindSlice("v3-32", {.wrap = WrapPolicy::kMesh});
  struct Plan {
    Collective collective;
    ChipAlgorithm algorithm;
  };
  constexpr Plan kPlans[] = {
      {Collective::kAllToAll, ChipAlgorithm::kDirect},
      {Collective::kAllReduce, ChipAlgorithm::kTorus},
      {Collective::kAllReduce, ChipAlgorithm::kTorusAll}};
  const auto turned = [](Coordinate at, int image) {
    return Coordinate{image % 2 == 0 ? at.x : 3 - at.x,
                      image / 2 == 0 ? at.y : 3 - at.y};
  };
  for (const LinkFault& cut :
       {LinkFault{{1, 1}, {2, 1}, 0}, LinkFault{{0, 1}, {1, 1}, 0},
        LinkFault{{0, 0}, {1, 0}, 0}, LinkFault{{1, 1}, {1, 2}, 0},
        LinkFault{{1, 0}, {1, 1}, 0}, LinkFault{{0, 1}, {0, 2}, 0}}) {
    for (const Plan& plan : kPlans) {
      const PriceRequest request = {.collective = plan.collective,
                                    .algorithm = plan.algorithm,
                                    .bytes = 4 << 20};
      slice.link_faults = {cut};
      const SimTime time = PriceOf(slice, request).time;
      for (int image = 1; image < 4; ++image) {
        slice.link_faults = {
            {turned(cut.from, image), turned(cut.to, image), 0}};
        EXPECT_EQ(PriceOf(slice, request).time, time)
            << NameOf(plan.algorithm) << " "
            << PlaceText(cut.from, /*three=*/false) << ", image " << image;
      }
    }
  }
}

}  // namespace
}  // namespace podsim
