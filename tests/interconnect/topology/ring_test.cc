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
  return std::abs(a.x - b.x) + std::abs(a.y - b.y) + std::abs(a.z - b.z);
}

// Every grid up to 6x6x5, odd and thin ones included.
TEST(GridRingTest, VisitsEachPlaceOnceByNeighbourSteps) {
  for (int index = 0; index < 6 * 6 * 5; ++index) {
    const Coordinate at = PlaceOf({6, 6, 5}, index);
    const GridSize grid = {at.x + 1, at.y + 1, at.z + 1};
    SCOPED_TRACE(SizeText(grid, true));
    const std::vector<Coordinate> ring = GridRing(grid);
    ASSERT_EQ(ring.size(), grid.places());
    EXPECT_EQ(ring.front(), (Coordinate{}));
    std::set<int> seen;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      seen.insert(IndexOf(grid, ring[i]));  // dies outside the grid
      EXPECT_TRUE(i == 0 || Distance(ring[i - 1], ring[i]) == 1) << i;
    }
    EXPECT_EQ(seen.size(), ring.size());
    const int wide = (grid.x > 1) + (grid.y > 1) + (grid.z > 1);
    if (wide > 1 && grid.places() % 2 == 0) {
      EXPECT_EQ(Distance(ring.back(), ring.front()), 1);
    }
  }
}

TEST(HostRingTest, SmallSlices) {
  ASSERT_OK_AND_ASSIGN(const Slice one, FindSlice("v3-8"));
  EXPECT_EQ(HostRing(one), (std::vector<int>{0}));
  EXPECT_EQ(RingOf(one.grid), (std::vector<int>{0, 1, 3, 2}));
  ASSERT_OK_AND_ASSIGN(const Slice four, FindSlice("v3-32"));
  EXPECT_EQ(HostRing(four), (std::vector<int>{0, 1, 3, 2}));
  ASSERT_OK_AND_ASSIGN(const Slice eight, FindSlice("v3-64"));
  EXPECT_EQ(HostRing(eight), (std::vector<int>{0, 1, 3, 5, 7, 6, 4, 2}));
}

class SliceRingTest : public ::testing::TestWithParam<std::string> {};

// Each hop goes to a neighbour without the help of a wrap link. The last one
// too, but where hosts (or chips) stand in one line.
void ExpectARing(const GridSize& grid, const std::vector<int>& order) {
  ASSERT_EQ(order.size(), grid.places());
  EXPECT_EQ(std::set<int>(order.begin(), order.end()).size(), order.size());
  const bool line = (grid.x > 1) + (grid.y > 1) + (grid.z > 1) < 2;
  for (std::size_t i = 0; i < order.size() && order.size() > 2; ++i) {
    if (line && i + 1 == order.size()) continue;
    EXPECT_EQ(Distance(PlaceOf(grid, order[i]),
                       PlaceOf(grid, order[(i + 1) % order.size()])),
              1);
  }
}

TEST_P(SliceRingTest, IsAWalkOverNeighbours) {
  ASSERT_OK_AND_ASSIGN(const Slice slice,
                       FindSlice(GetParam(), {.wrap = WrapPolicy::kMesh}));
  ExpectARing(slice.host_grid, HostRing(slice));
  ExpectARing(slice.grid, RingOf(slice.grid));
}

INSTANTIATE_TEST_SUITE_P(All, SliceRingTest, ::testing::ValuesIn(SliceNames()));

}  // namespace
}  // namespace podsim
