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
#include "tests/interconnect/timing/price_of.h"
#include "tests/testing/run_count.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::kSanitized;
using ::podsim::testing::PriceOf;
using ::testing::HasSubstr;
using testing::StatusIs;

struct Case {
  std::string slice;
  SliceOptions options;
};

// Every kind of grid up to 256 chips; where each step is watched, up to 128.
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
  if (kSanitized)
    std::erase_if(cases, [](const Case& any) {
      return FindSlice(any.slice, any.options)->chips > 128;
    });
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
      ", wire at ",
      slice.link_faults.empty() ? 1 : slice.link_faults.front().rate));
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
        for (const std::vector<LinkFault>& faults : FaultsOf(slice_)) {
          Slice slice = slice_;
          slice.link_faults = faults;
          ExpectTheSameChipByChip(slice, {.collective = collective,
                                          .algorithm = algorithm,
                                          .bytes = bytes});
        }
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
  constexpr double kStep = kSanitized ? 16 : 1.17;
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

TEST(PriceCollective, RefusesWhatCannotBe) {
  const Slice slice = *FindSlice("v3-32");
  EXPECT_THAT(PriceCollective(slice, {.bytes = -1}),
              StatusIs(kInvalid, HasSubstr("-1 bytes")));
  EXPECT_THAT(PriceCollective(slice, {.collective = Collective::kAllToAll,
                                      .algorithm = ChipAlgorithm::kRing,
                                      .bytes = 1}),
              StatusIs(kInvalid, HasSubstr("all_to_all by ring")));
  Slice other = slice;
  other.link_faults = {{{0, 0}, {3, 3}}};
  EXPECT_THAT(PriceCollective(other, {.bytes = 1}),
              StatusIs(kInvalid, HasSubstr("no wire")));
  EXPECT_THAT(PriceCollective(slice, {.collective = Collective::kBroadcast,
                                      .algorithm = ChipAlgorithm::kRing,
                                      .bytes = 1,
                                      .root = 16}),
              StatusIs(kInvalid, HasSubstr("root 16")));
  // What would not fit into a simulated clock.
  other.link_faults = {{{0, 0}, {1, 0}, 1e-12}};
  EXPECT_THAT(PriceCollective(other, {.bytes = 1 << 30}),
              StatusIs(kInvalid, HasSubstr("more than the 100 s")));
}

}  // namespace
}  // namespace podsim
