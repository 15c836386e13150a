// The simulation against closed forms and hand-worked cases.
#include "interconnect/timing/pricing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "interconnect/collectives/algorithms.h"
#include "interconnect/topology/slice.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

// 1 element (4 bytes) takes 1 ns of a link.
TorusModel Line(int x, int y, bool wrap, std::int64_t hop_ps) {
  return {.grid = {x, y},
          .wrap_x = wrap,
          .wrap_y = wrap,
          .link_bytes_per_second = 4e9,
          .hop = SimTime::Picoseconds(hop_ps)};
}
constexpr std::int64_t kNs = 1000;

std::vector<int> InOrder(int world) {
  std::vector<int> order(world);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<RankPlan> AllReducePlans(const RingOptions& options) {
  std::vector<RankPlan> plans;
  for (std::size_t rank = 0; rank < options.order.size(); ++rank) {
    plans.push_back(RingAllReduce(options, static_cast<int>(rank)));
  }
  return plans;
}

// A wrapped ring of N chips, segments of V/N in C equal chunks that take t on
// a link, hop latency a, M = 2 (N-1) steps. A step lasts until its chunks have
// passed the link, or until its first chunk has come round:
//   T = (M - 1) max(C t, t + a) + C t + a.
// For C = 1 that is M (t + a) = 2 V (N-1) / (N b) + 2 (N-1) a.
struct RingCase {
  int chips;
  int chunks;
  std::int64_t chunk_elements;
  std::int64_t hop_ns;
};
class WrappedRing : public ::testing::TestWithParam<RingCase> {};
INSTANTIATE_TEST_SUITE_P(
    Cases, WrappedRing,
    ::testing::Values(RingCase{2, 1, 10, 5}, RingCase{3, 1, 1000, 1000},
                      RingCase{8, 1, 7, 100}, RingCase{32, 1, 1000, 1000},
                      RingCase{8, 4, 10, 5}, RingCase{8, 4, 10, 500},
                      RingCase{16, 9, 100, 799}, RingCase{16, 9, 100, 801},
                      RingCase{4, 2, 5, 0}));

TEST_P(WrappedRing, TakesTheTimeOfTheClosedForm) {
  const auto& [chips, chunks, chunk_elements, hop_ns] = GetParam();
  const TorusModel torus = Line(chips, 1, true, hop_ns * kNs);
  const RingOptions options{InOrder(chips), chips * chunks * chunk_elements,
                            chunk_elements};
  const std::int64_t steps = 2 * (chips - 1);
  const std::int64_t round =
      std::max(chunks * chunk_elements, chunk_elements + hop_ns);
  const SimTime expected = SimTime::Picoseconds(
      ((steps - 1) * round + chunks * chunk_elements + hop_ns) * kNs);
  ASSERT_OK_AND_ASSIGN(const SimTime time,
                       PriceCollective(AllReducePlans(options), torus));
  EXPECT_EQ(time, expected);
  ASSERT_OK_AND_ASSIGN(const SimTime quick, PriceUniformRing(options, torus));
  EXPECT_EQ(quick, expected);
}

TEST(PriceCollective, ScatterAndGatherAreHalfEach) {
  const TorusModel torus = Line(8, 1, true, 100 * kNs);
  const RingOptions options{InOrder(8), 80, 10};
  for (const auto generator : {&RingReduceScatter, &RingAllGather}) {
    std::vector<RankPlan> plans;
    for (int rank = 0; rank < 8; ++rank) {
      plans.push_back(generator(options, rank));
    }
    ASSERT_OK_AND_ASSIGN(const SimTime time, PriceCollective(plans, torus));
    EXPECT_EQ(time, SimTime::Picoseconds(7 * 110 * kNs));
  }
}

// Three chips in a line. Chips 0 and 1 both send to chip 2.
std::vector<RankPlan> ThreeInALine(int chunks_of_neighbour) {
  std::vector<RankPlan> plans(3);
  for (int rank = 0; rank < 3; ++rank) {
    plans[rank].rank = rank;
    plans[rank].world = 3;
    plans[rank].elements = 100;
  }
  plans[0].ops.push_back({.peer = 2, .chunk = 0, .range = {0, 10}});
  plans[2].ops.push_back({.kind = OpKind::kReceiveReduce,
                          .peer = 0,
                          .chunk = 0,
                          .range = {0, 10}});
  for (int i = 0; i < chunks_of_neighbour; ++i) {
    const std::uint32_t chunk = i;
    const Range range{10 * (i + 1), 10};
    plans[1].ops.push_back({.peer = 2, .chunk = chunk, .range = range});
    plans[2].ops.push_back({.kind = OpKind::kReceiveReduce,
                            .peer = 1,
                            .chunk = chunk,
                            .range = range});
  }
  return plans;
}

TEST(PriceCollective, AChunkIsStoredAndForwardedAtEachChip) {
  // 2 x (10 ns on the link + 3 ns hop).
  ASSERT_OK_AND_ASSIGN(
      const SimTime time,
      PriceCollective(ThreeInALine(0), Line(3, 1, false, 3 * kNs)));
  EXPECT_EQ(time, SimTime::Picoseconds(26 * kNs));
}

TEST(PriceCollective, ChunksShareALinkFirstComeFirstServed) {
  // Chip 1's three chunks have the second link until 30; the chunk of chip 0
  // reaches it at 13 and waits: 30 + 10 + 3.
  ASSERT_OK_AND_ASSIGN(
      const SimTime time,
      PriceCollective(ThreeInALine(3), Line(3, 1, false, 3 * kNs)));
  EXPECT_EQ(time, SimTime::Picoseconds(43 * kNs));
}

TEST(PriceCollective, ARingThroughNonNeighboursIsSlower) {
  const TorusModel torus = Line(4, 4, false, 10 * kNs);
  const Slice slice = *FindSlice("v3-32", {.wrap = WrapPolicy::kMesh});
  const RingOptions snake{ChipRing(slice), 16 * 100, 100};
  const RingOptions rows{InOrder(16), 16 * 100, 100};
  EXPECT_TRUE(RingOfNeighbours(snake.order, torus));
  EXPECT_FALSE(RingOfNeighbours(rows.order, torus));
  ASSERT_OK_AND_ASSIGN(const SimTime good,
                       PriceCollective(AllReducePlans(snake), torus));
  ASSERT_OK_AND_ASSIGN(const SimTime bad,
                       PriceCollective(AllReducePlans(rows), torus));
  // A segment makes 30 hops: one link each in the snake. In rows, twice round
  // is 2 (12 + 3 x 4 + 6) = 60 links (a row's end to the next row's begin, and
  // the last chip to the first), and the slowest segment saves two short ones.
  EXPECT_EQ(good, SimTime::Picoseconds(30 * 110 * kNs));
  EXPECT_EQ(bad, SimTime::Picoseconds(58 * 110 * kNs));
  ASSERT_OK_AND_ASSIGN(const SimTime again,
                       PriceCollective(AllReducePlans(rows), torus));
  EXPECT_EQ(bad, again);
}

// Steps of one chunk each: 3 + 3 along the rows with a quarter of the buffer,
// 6 along the columns with a sixteenth.
TEST(PriceCollective, ATorusTakesTheStepsOfItsRowsAndColumns) {
  PlanRequest request = {.algorithm = Algorithm::kTorus2d,
                         .ring = InOrder(16),
                         .rows = 4,
                         .columns = 4,
                         .elements = 16 * 100};
  std::vector<RankPlan> plans;
  for (int rank = 0; rank < 16; ++rank) {
    ASSERT_OK_AND_ASSIGN(plans.emplace_back(), MakeRankPlan(request, rank));
  }
  ASSERT_OK_AND_ASSIGN(const SimTime time,
                       PriceCollective(plans, Line(4, 4, true, 10 * kNs)));
  EXPECT_EQ(time, SimTime::Picoseconds((6 * 410 + 6 * 110) * kNs));
}

TEST(PriceCollective, PricesEveryAlgorithm) {
  for (const Collective collective :
       {Collective::kAllReduce, Collective::kReduceScatter,
        Collective::kAllGather, Collective::kBroadcast, Collective::kAllToAll,
        Collective::kBarrier}) {
    for (const Algorithm algorithm : AllAlgorithms()) {
      if (!Supports(collective, algorithm)) continue;
      const PlanRequest request = {.collective = collective,
                                   .algorithm = algorithm,
                                   .ring = InOrder(6),
                                   .rows = 2,
                                   .columns = 3,
                                   .elements = 60,
                                   .chunk_elements = 7};
      std::vector<RankPlan> plans;
      for (int rank = 0; rank < 6; ++rank) {
        ASSERT_OK_AND_ASSIGN(plans.emplace_back(), MakeRankPlan(request, rank));
      }
      ASSERT_OK_AND_ASSIGN(const SimTime time,
                           PriceCollective(plans, Line(3, 2, true, kNs)));
      EXPECT_GT(time, SimTime());
    }
  }
}

TEST(PriceCollective, RefusesWhatItCannotPrice) {
  const std::vector<RankPlan> plans = AllReducePlans({InOrder(4), 16, 4});
  const auto refused = [](const char* what) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(what));
  };
  EXPECT_THAT(PriceCollective(plans, Line(3, 1, true, 0)),
              refused("4 ranks for a grid of 3x1"));
  TorusModel dead = Line(4, 1, true, 0);
  dead.link_bytes_per_second = 0;
  EXPECT_THAT(PriceCollective(plans, dead), refused("must be positive"));
  std::vector<RankPlan> swapped = plans;
  std::swap(swapped[1], swapped[2]);
  EXPECT_THAT(PriceCollective(swapped, Line(4, 1, true, 0)),
              refused("plan 1 is of rank 2"));
  std::vector<RankPlan> stuck = plans;
  stuck[2].ops.clear();
  EXPECT_THAT(PriceCollective(stuck, Line(4, 1, true, 0)),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("never end")));
}

class EverySlice : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Slices, EverySlice,
                         ::testing::Values("v2-8", "v3-32", "v3-64", "v3-128",
                                           "v3-1024"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// The short cut is taken for every slice, wrapped or not, so its time must be
// that of the whole simulation.
TEST_P(EverySlice, OneRankStandsForAllOfThem) {
  for (const WrapPolicy wrap : {WrapPolicy::kTorus, WrapPolicy::kMesh}) {
    ASSERT_OK_AND_ASSIGN(const Slice slice,
                         FindSlice(GetParam(), {.wrap = wrap}));
    const TorusModel torus = TorusOf(slice);
    ASSERT_TRUE(RingOfNeighbours(ChipRing(slice), torus));
    if (slice.chips > 128) continue;  // millions of events, no new case
    for (const std::int64_t elements : {0, 1, 1000, 3'000'000}) {
      const RingOptions options = ChipRingOptions(
          slice, elements, {.bytes = 65536, .most_per_segment = 2});
      ASSERT_OK_AND_ASSIGN(const SimTime all,
                           PriceCollective(AllReducePlans(options), torus));
      ASSERT_OK_AND_ASSIGN(const SimTime one, PriceUniformRing(options, torus));
      EXPECT_EQ(one, all) << elements << " elements";
    }
  }
}

TEST_P(EverySlice, TakesNoLessThanItsBytesAndLittleMore) {
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(GetParam()));
  const std::int64_t elements = 25'600'000;  // ResNet-50
  ASSERT_OK_AND_ASSIGN(const SimTime time, PriceAllReduce(slice, elements));
  const double n = slice.chips;
  const double bytes = 2 * 4.0 * elements * (n - 1) / n;
  const double wire = bytes / slice.chip().link_bytes_per_second;
  const double latency = 2 * (n - 1) * slice.chip().hop_seconds;
  EXPECT_GE(time.seconds(), wire);
  EXPECT_LE(time.seconds(), wire + latency + 1e-6);
}

TEST(PriceAllReduce, NothingTakesNoTimeAndLessThanNothingIsRefused) {
  const Slice slice = *FindSlice("v3-8");
  ASSERT_OK_AND_ASSIGN(const SimTime none, PriceAllReduce(slice, 0));
  EXPECT_EQ(none, SimTime());
  EXPECT_THAT(PriceAllReduce(slice, -1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("-1")));
}

}  // namespace
}  // namespace podsim
