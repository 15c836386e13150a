// What holds of every price: the same whether chips stand for each other or
// not, never below the bounds, more for more bytes and for slower links.
#include "interconnect/timing/pricing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/testing/run_count.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::kSanitized;
using ::testing::HasSubstr;
using testing::StatusIs;

Price PriceOf(const Slice& slice, const PriceRequest& request) {
  auto price = PriceCollective(slice, request);
  EXPECT_TRUE(price.ok()) << price.status();
  return *std::move(price);
}

struct Case {
  std::string slice;
  SliceOptions options;
};

// Every kind of grid up to 256 chips.
std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const char* name :
       {"v2-8",        "v3-32",         "v3-64",  "v3-256",  "v3-512",
        "v2-256",      "v2-512",        "v4-8",   "v4-16",   "v4-32",
        "v4-64",       "v4-128",        "v4-256", "v4-512",  "v5litepod-1",
        "v5litepod-8", "v5litepod-128", "v6e-64", "tpu7x-2", "tpu7x-128",
        "v5p-384"})
    cases.push_back({name, {}});
  cases.push_back({"v3-64", {.wrap = WrapPolicy::kTorus}});
  cases.push_back({"v4-128", {.wrap = WrapPolicy::kMesh}});
  cases.push_back({"v4-256", {.twist = true}});
  cases.push_back({"v4-512", {.twist = true}});
  return cases;
}

std::string CaseName(const ::testing::TestParamInfo<Case>& info) {
  return absl::StrCat(absl::StrReplaceAll(info.param.slice, {{"-", "_"}}),
                      info.param.options.twist ? "_twisted" : "",
                      info.param.options.wrap == WrapPolicy::kAuto ? ""
                      : info.param.options.wrap == WrapPolicy::kTorus
                          ? "_torus"
                          : "_mesh");
}

class PricingTest : public ::testing::TestWithParam<Case> {
 protected:
  Slice slice_ = *FindSlice(GetParam().slice, GetParam().options);
};

// Sound wires, a slow one and a cut one that leaves all chips within reach.
std::vector<std::vector<LinkFault>> FaultsOf(const Slice& slice) {
  std::vector<std::vector<LinkFault>> faults = {{}};
  const Grid grid = GridOf(slice);
  const auto next = Next(grid, {}, 0);
  if (!next || slice.chips > 64) return faults;
  faults.push_back({{{}, *next, 0.25}});
  if (grid.closes(0) || grid.length(1) > 1) faults.push_back({{{}, *next, 0}});
  return faults;
}

void ExpectTheSameChipByChip(const Slice& slice, PriceRequest request) {
  SCOPED_TRACE(absl::StrCat(
      std::string(NameOf(request.collective)), " by ",
      std::string(NameOf(*request.algorithm)), ", ", request.bytes,
      ", wire at ", request.faults.empty() ? 1 : request.faults.front().rate));
  const Price folded = PriceOf(slice, request);
  request.whole = true;
  const Price whole = PriceOf(slice, request);
  EXPECT_EQ(folded.time, whole.time);
  EXPECT_LE(folded.events, whole.events);
  EXPECT_EQ(folded.sent, whole.sent);
  EXPECT_EQ(folded.busy, whole.busy);
  EXPECT_EQ(folded.ends, whole.ends);
}

// To the picosecond: chips that are alike share a plan even where a wire makes
// them end at different times.
TEST_P(PricingTest, ChipsThatDoTheSameStandForEachOther) {
  for (const Collective collective : AllCollectives()) {
    for (const ChipAlgorithm algorithm : AllChipAlgorithms()) {
      if (!Supports(collective, algorithm)) continue;
      // Everyone with everyone takes long.
      const bool many =
          algorithm == ChipAlgorithm::kDirect && slice_.chips > 32;
      for (const std::int64_t bytes : {1'000, 123'457, 20'000'000}) {
        if ((many || kSanitized) && bytes != 123'457) continue;
        for (const std::vector<LinkFault>& faults : FaultsOf(slice_))
          ExpectTheSameChipByChip(slice_, {.collective = collective,
                                           .algorithm = algorithm,
                                           .bytes = bytes,
                                           .faults = faults});
      }
    }
  }
}

TEST_P(PricingTest, IsNeverBelowTheBounds) {
  for (const Collective collective : AllCollectives()) {
    for (const ChipAlgorithm algorithm : AllChipAlgorithms()) {
      if (!Supports(collective, algorithm)) continue;
      for (const std::int64_t bytes : {1'000, 300'000, 64'000'000}) {
        const PriceRequest request = {
            .collective = collective, .algorithm = algorithm, .bytes = bytes};
        const Bounds bounds = BoundsOf(slice_, request);
        const Price price = PriceOf(slice_, request);
        EXPECT_GE(price.network, bounds.most())
            << NameOf(collective) << " by " << NameOf(algorithm) << ", "
            << bytes;
      }
    }
  }
}

TEST_P(PricingTest, GrowsWithHopsAndSlowness) {
  for (const ChipAlgorithm algorithm : AllChipAlgorithms()) {
    for (const std::int64_t bytes : {1'000, 100'000, 9'000'000}) {
      const PriceRequest request = {.algorithm = algorithm, .bytes = bytes};
      const SimTime time = PriceOf(slice_, request).time;
      Slice slower = slice_;
      slower.figures.hop_seconds *= 1.1;
      EXPECT_GE(PriceOf(slower, request).time, time)
          << NameOf(algorithm) << " " << bytes;
      slower = slice_;
      slower.figures.link_share /= 1.1;
      EXPECT_GE(PriceOf(slower, request).time, time)
          << NameOf(algorithm) << " " << bytes;
    }
  }
}

TEST_P(PricingTest, AutoTakesTheCheapest) {
  for (const Collective collective : AllCollectives()) {
    for (const std::int64_t bytes : {1'000, 1'000'000}) {
      const Price best =
          PriceOf(slice_, {.collective = collective, .bytes = bytes});
      for (const ChipAlgorithm algorithm : AllChipAlgorithms()) {
        if (!Supports(collective, algorithm)) continue;
        EXPECT_LE(best.time, PriceOf(slice_, {.collective = collective,
                                              .algorithm = algorithm,
                                              .bytes = bytes})
                                 .time)
            << NameOf(collective) << " " << bytes << ": "
            << NameOf(best.algorithm) << " and " << NameOf(algorithm);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Slices, PricingTest, ::testing::ValuesIn(Cases()),
                         CaseName);

// More bytes never take less, whatever form or algorithm they make the better
// one: the sizes lie close enough to meet every change of the plans.
void ExpectToGrow(const Slice& slice, Collective collective,
                  std::optional<ChipAlgorithm> algorithm) {
  constexpr double kStep = kSanitized ? 4 : 1.17;
  constexpr double kMost = 1e8;
  SimTime last;
  for (double bytes = 4; bytes < kMost; bytes *= kStep) {
    const PriceRequest request = {.collective = collective,
                                  .algorithm = algorithm,
                                  .bytes = static_cast<std::int64_t>(bytes)};
    const SimTime time = PriceOf(slice, request).time;
    EXPECT_GE(time, last) << slice.name << " " << NameOf(collective) << " "
                          << request.bytes << " by "
                          << (algorithm ? NameOf(*algorithm) : "auto");
    last = time;
  }
}

TEST(PriceCollective, GrowsWithBytes) {
  for (const char* name : {"v3-8", "v3-32", "v4-128", "v5litepod-128"}) {
    const Slice slice = *FindSlice(name);
    for (const Collective collective : AllCollectives()) {
      ExpectToGrow(slice, collective, std::nullopt);
      for (const ChipAlgorithm algorithm : AllChipAlgorithms())
        if (Supports(collective, algorithm))
          ExpectToGrow(slice, collective, algorithm);
    }
  }
}

// A ring of N chips, segments of V/N in two pieces of t each, hop a, M = 2
// (N-1) steps: (M - 1) max(2 t, t + a) + 2 t + a.
TEST(PriceCollective, ARingTakesWhatItsEquationSays) {
  const Slice slice = *FindSlice("v3-32");
  const double rate =
      slice.chip().link_bytes_per_second * slice.chip().link_share;
  for (const std::int64_t segment : {1 << 12, 1 << 16, 1 << 22}) {
    const std::int64_t bytes = segment * slice.chips;
    const double t = static_cast<double>(segment) / 2 / rate;
    const double a = slice.chip().hop_seconds;
    const double expected = 29 * std::max(2 * t, t + a) + 2 * t + a;
    const Price price =
        PriceOf(slice, {.algorithm = ChipAlgorithm::kRing, .bytes = bytes});
    // Each piece is rounded to the picosecond.
    EXPECT_NEAR(price.network.seconds(), expected, 100e-12) << segment;
  }
}

// Around a wrapped 4 x 4 grid of 16 equal pieces, both axes at once: half of V
// goes along x then y. Each phase a link carries half of what is not at home:
//   2 V/2 (3/4) / (2 b) + 2 V/8 (3/4) / (2 b), and two hops for each phase.
TEST(PriceCollective, ATorusComesNearItsBound) {
  const Slice slice = *FindSlice("v3-32", {.wrap = WrapPolicy::kTorus});
  const std::int64_t bytes = 1 << 28;
  const double rate =
      slice.chip().link_bytes_per_second * slice.chip().link_share;
  const double bound = 2.0 * bytes * 15 / 16 / (4 * rate);
  const Price price =
      PriceOf(slice, {.algorithm = ChipAlgorithm::kTorusAll, .bytes = bytes});
  EXPECT_GE(price.network.seconds(), bound);
  EXPECT_LE(price.network.seconds(), bound * 1.1);
}

TEST(PriceCollective, TheCoresOfAChipAddTheirsUpFirst) {
  const Slice slice = *FindSlice("v3-32");
  const auto cores = [&](Collective collective, std::int64_t bytes) {
    return PriceOf(slice, {.collective = collective, .bytes = bytes})
        .cores.seconds();
  };
  // Two pieces read and one written before, one read and one written after, of
  // 900 GB/s; no more than the first piece of 8 MiB is seen.
  EXPECT_NEAR(cores(Collective::kAllReduce, 900'000), 5e-6, 1e-9);
  EXPECT_NEAR(cores(Collective::kReduceScatter, 900'000), 3e-6, 1e-9);
  EXPECT_NEAR(cores(Collective::kAllGather, 900'000), 2e-6, 1e-9);
  EXPECT_EQ(cores(Collective::kAllReduce, 8 << 20),
            cores(Collective::kAllReduce, 800 << 20));
  EXPECT_EQ(PriceOf(*FindSlice("v4-16"), {.bytes = 1 << 20}).cores, SimTime());
}

// 7380 GB/s and no link to hide behind. Summed: both cores' bytes read and one
// sum written, then that read and written once; exchanged: both cores' bytes
// read and written.
TEST(PriceCollective, TheCoresOfAChipAloneMoveAllOfTheirBytes) {
  const Slice slice = *FindSlice("tpu7x-2");
  const auto cores = [&](Collective collective, std::int64_t bytes) {
    const Price price =
        PriceOf(slice, {.collective = collective, .bytes = bytes});
    EXPECT_EQ(price.time, price.software + price.cores);
    return price.cores.seconds();
  };
  constexpr std::int64_t kBytes = 7'380'000'000;
  EXPECT_NEAR(cores(Collective::kAllReduce, kBytes), 5e-3, 1e-9);
  EXPECT_NEAR(cores(Collective::kReduceScatter, kBytes), 3e-3, 1e-9);
  EXPECT_NEAR(cores(Collective::kAllGather, kBytes), 2e-3, 1e-9);
  EXPECT_NEAR(cores(Collective::kBroadcast, kBytes), 2e-3, 1e-9);
  EXPECT_NEAR(cores(Collective::kAllToAll, kBytes), 4e-3, 1e-9);
  EXPECT_EQ(cores(Collective::kBarrier, 0), 0);
  EXPECT_EQ(PriceOf(*FindSlice("tpu7x-8"),
                    {.collective = Collective::kAllToAll, .bytes = kBytes})
                .cores,
            SimTime());
}

// What a plan sends over a slow link is what it costs, at the most twice: what
// is behind it waits, and goes on with what waits for that.
TEST(PriceCollective, ASlowLinkCostsWhatThePlanSendsOverIt) {
  for (const char* name : {"v3-32", "v2-512", "v4-128"}) {
    const Slice slice = *FindSlice(name);
    for (const ChipAlgorithm algorithm :
         {ChipAlgorithm::kRing, ChipAlgorithm::kTorus, ChipAlgorithm::kTorusAll,
          ChipAlgorithm::kDirect}) {
      SCOPED_TRACE(absl::StrCat(name, " ", std::string(NameOf(algorithm))));
      PriceRequest request = {.algorithm = algorithm, .bytes = 16 << 20};
      const Price sound = PriceOf(slice, request);
      request.faults = {{{0, 0}, {1, 0}, 1}};
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
        request.faults[0].rate = part;
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
  const Slice slice = *FindSlice("v3-32");
  const std::int64_t bytes = 64 << 20;
  PriceRequest request = {.algorithm = ChipAlgorithm::kRing, .bytes = bytes};
  request.faults = {{{0, 0}, {1, 0}, 0.5}};
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
  const Slice slice = *FindSlice("v3-32");
  PriceRequest request = {.algorithm = ChipAlgorithm::kRing, .bytes = 1 << 24};
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
    request.faults = {{from, *to, 0.01}};
    EXPECT_EQ(PriceOf(slice, request).time, sound.time);
    return;
  }
  FAIL() << "every wire is used";
}

TEST(PriceCollective, ACutLinkIsGoneRound) {
  const Slice slice = *FindSlice("v3-32");
  PriceRequest request = {.bytes = 1 << 24};
  const Price sound = PriceOf(slice, request);
  request.faults = {{{0, 0}, {1, 0}, 0}};
  const Price cut = PriceOf(slice, request);
  EXPECT_GT(cut.time, sound.time);
  EXPECT_EQ(cut.sent[DirectionOf(0, true)], 0);
}

// To the picosecond, of plans that a mesh's mirror images share.
TEST(PriceCollective, MirroredCutsCostTheSame) {
  const Slice slice = *FindSlice("v3-32", {.wrap = WrapPolicy::kMesh});
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
      PriceRequest request = {.collective = plan.collective,
                              .algorithm = plan.algorithm,
                              .bytes = 4 << 20,
                              .faults = {cut}};
      const SimTime time = PriceOf(slice, request).time;
      for (int image = 1; image < 4; ++image) {
        request.faults = {{turned(cut.from, image), turned(cut.to, image), 0}};
        EXPECT_EQ(PriceOf(slice, request).time, time)
            << NameOf(plan.algorithm) << " "
            << PlaceText(cut.from, /*three=*/false) << ", image " << image;
      }
    }
  }
}

TEST(PriceCollective, RefusesWhatCannotBe) {
  const Slice slice = *FindSlice("v3-32");
  EXPECT_THAT(PriceCollective(slice, {.bytes = -1}),
              StatusIs(kInvalid, HasSubstr("-1 bytes")));
  EXPECT_THAT(PriceCollective(slice, {.collective = Collective::kAllToAll,
                                      .algorithm = ChipAlgorithm::kRing,
                                      .bytes = 1}),
              StatusIs(kInvalid, HasSubstr("all_to_all by ring")));
  EXPECT_THAT(
      PriceCollective(slice, {.bytes = 1, .faults = {{{0, 0}, {3, 3}}}}),
      StatusIs(kInvalid, HasSubstr("no wire")));
  EXPECT_THAT(PriceCollective(slice, {.collective = Collective::kBroadcast,
                                      .algorithm = ChipAlgorithm::kRing,
                                      .bytes = 1,
                                      .root = 16}),
              StatusIs(kInvalid, HasSubstr("root 16")));
  // What would not fit into a simulated clock.
  EXPECT_THAT(PriceCollective(slice, {.bytes = 1 << 30,
                                      .faults = {{{0, 0}, {1, 0}, 1e-12}}}),
              StatusIs(kInvalid, HasSubstr("more than the 100 s")));
}

// The smallest halving of 4x4x8: 32 wires across z; twisted the ways round the
// short axes lead to the other half of z, and 64 across x are the fewest.
TEST(PodFigures, ATwistDoublesTheBisection) {
  EXPECT_DOUBLE_EQ(BisectionBandwidth(*FindSlice("v4-256")), 32 * 50e9);
  EXPECT_DOUBLE_EQ(BisectionBandwidth(*FindSlice("v4-256", {.twist = true})),
                   64 * 50e9);
}

TEST(Bounds, NothingIsBoundByNothing) {
  const Slice slice = *FindSlice("v6e-256");
  EXPECT_EQ(BoundsOf(slice, {.bytes = 0}).most(), SimTime());
  EXPECT_GT(BoundsOf(slice, {.collective = Collective::kBarrier}).most(),
            SimTime());
}

// A corner of a mesh has two links, and needs all of the buffer once in and
// once out; all chips together send it 2 (n - 1) times, over all links.
TEST(Bounds, AMeshIsBoundByItsCornersOrByAllOfIt) {
  const Slice slice = *FindSlice("v3-32");
  const double rate = slice.chip().link_bytes_per_second;
  const double all = 2.0 * 15 / 48;
  EXPECT_NEAR(BoundsOf(slice, {.bytes = 1 << 30}).chip_links.seconds(),
              all * (1 << 30) / rate, 1e-12);
}

// Pod figures that vendors print, out of chips, links and rates.
TEST(PodFigures, AreWhatIsPublished) {
  struct Row {
    const char* slice;
    double all_reduce;  // TB/s; 0: not published
    double bisection;
  };
  for (const Row& row :
       {Row{"v2-512", 0, 15.9 / 8}, Row{"v3-2048", 340, 42.3 / 8},
        Row{"v4-8192", 0, 24}, Row{"v5litepod-256", 51.2, 1.6},
        Row{"v6e-256", 102.4, 3.2}}) {
    const Slice slice = *FindSlice(row.slice);
    if (row.all_reduce > 0) {
      EXPECT_NEAR(AllReduceBandwidth(slice) / 1e12 / row.all_reduce, 1, 0.1)
          << row.slice;
    }
    EXPECT_NEAR(BisectionBandwidth(slice) / 1e12 / row.bisection, 1, 0.1)
        << row.slice;
  }
}

}  // namespace
}  // namespace podsim
