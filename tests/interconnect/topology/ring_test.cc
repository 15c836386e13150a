// Rings visit every place once and step from neighbour to neighbour.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <utility>

#include "interconnect/topology/grid_ring.h"
#include "interconnect/topology/slice.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

int Distance(Coordinate a, Coordinate b) {
  return std::abs(a.x - b.x) + std::abs(a.y - b.y);
}

// Every grid up to 7x7, odd and thin ones included.
TEST(GridRingTest, VisitsEachPlaceOnceByNeighbourSteps) {
  for (int x = 1; x <= 7; ++x) {
    for (int y = 1; y <= 7; ++y) {
      SCOPED_TRACE(::testing::Message() << x << "x" << y);
      const std::vector<Coordinate> ring = GridRing({x, y});
      ASSERT_EQ(ring.size(), x * y);
      EXPECT_EQ(ring.front(), (Coordinate{0, 0}));
      std::set<std::pair<int, int>> seen;
      for (std::size_t i = 0; i < ring.size(); ++i) {
        ASSERT_TRUE(ring[i].x >= 0 && ring[i].x < x);
        ASSERT_TRUE(ring[i].y >= 0 && ring[i].y < y);
        seen.insert({ring[i].x, ring[i].y});
        EXPECT_TRUE(i == 0 || Distance(ring[i - 1], ring[i]) == 1) << i;
      }
      EXPECT_EQ(seen.size(), ring.size());
      const bool cycle = x > 1 && y > 1 && x * y % 2 == 0;
      EXPECT_TRUE(!cycle || Distance(ring.back(), ring.front()) == 1);
    }
  }
}

TEST(HostRingTest, SmallSlices) {
  ASSERT_OK_AND_ASSIGN(const Slice one, FindSlice("v3-8"));
  EXPECT_EQ(HostRing(one), (std::vector<int>{0}));
  EXPECT_EQ(ChipRing(one), (std::vector<int>{0, 1, 3, 2}));
  ASSERT_OK_AND_ASSIGN(const Slice four, FindSlice("v3-32"));
  EXPECT_EQ(HostRing(four), (std::vector<int>{0, 1, 3, 2}));
  ASSERT_OK_AND_ASSIGN(const Slice eight, FindSlice("v3-64"));
  EXPECT_EQ(HostRing(eight), (std::vector<int>{0, 1, 3, 5, 7, 6, 4, 2}));
}

class SliceRingTest : public ::testing::TestWithParam<std::string> {};

// On every slice with more than one host the ring is closed: each hop, the last
// included, goes to a neighbour without the help of a wrap link.
TEST_P(SliceRingTest, IsAClosedWalkOverNeighbours) {
  ASSERT_OK_AND_ASSIGN(const Slice slice,
                       FindSlice(GetParam(), WrapPolicy::kMesh));
  const std::vector<int> hosts = HostRing(slice);
  ASSERT_EQ(hosts.size(), slice.hosts);
  EXPECT_EQ(std::set<int>(hosts.begin(), hosts.end()).size(), slice.hosts);
  for (std::size_t i = 0; i < hosts.size() && hosts.size() > 1; ++i)
    EXPECT_EQ(Distance(HostCoordinate(slice, hosts[i]),
                       HostCoordinate(slice, hosts[(i + 1) % hosts.size()])),
              1);
  const std::vector<int> chips = ChipRing(slice);
  ASSERT_EQ(chips.size(), slice.chips);
  EXPECT_EQ(std::set<int>(chips.begin(), chips.end()).size(), slice.chips);
  for (std::size_t i = 0; i < chips.size(); ++i) {
    const int from = chips[i];
    const int to = chips[(i + 1) % chips.size()];
    EXPECT_EQ(Distance({from % slice.grid.x, from / slice.grid.x},
                       {to % slice.grid.x, to / slice.grid.x}),
              1);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SliceRingTest, ::testing::ValuesIn(SliceNames()));

}  // namespace
}  // namespace podsim
