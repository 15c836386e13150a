// Steps and shortest ways on meshes, tori and twisted tori.
#include "interconnect/topology/grid.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <vector>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

// Hops to every chip, breadth first over the wires.
std::vector<int> HopsFrom(const Grid& grid, int chip) {
  std::vector<int> hops(grid.chips(), -1);
  hops[chip] = 0;
  std::deque<int> open = {chip};
  while (!open.empty()) {
    const int at = open.front();
    open.pop_front();
    for (int direction = 0; direction < kDirections; ++direction) {
      const auto next = Next(grid, PlaceOf(grid.size, at), direction);
      if (!next) continue;
      const int to = IndexOf(grid.size, *next);
      if (hops[to] >= 0) continue;
      hops[to] = hops[at] + 1;
      open.push_back(to);
    }
  }
  return hops;
}

std::vector<Grid> Grids() {
  return {{.size = {4, 1, 1}},
          {.size = {4, 5, 3}},
          {.size = {4, 5, 3}, .wraps = {true, true, true}},
          {.size = {6, 4, 2}, .wraps = {false, true, true}},
          {.size = {4, 4, 8}, .wraps = {true, true, true}, .twisted = true},
          {.size = {4, 8, 8}, .wraps = {true, true, true}, .twisted = true}};
}

TEST(GridTest, WaysAreShortestAndLeadThere) {
  for (const Grid& grid : Grids()) {
    for (int from = 0; from < grid.chips(); from += 7) {
      const std::vector<int> hops = HopsFrom(grid, from);
      for (int to = 0; to < grid.chips(); ++to) {
        const Coordinate begin = PlaceOf(grid.size, from);
        const Offset way = ShortestOffset(grid, begin, PlaceOf(grid.size, to));
        ASSERT_EQ(Distance(way), hops[to])
            << SizeText(grid.size, true) << " " << from << " to " << to;
        ASSERT_EQ(IndexOf(grid.size, Walk(grid, begin, way)), to);
      }
    }
  }
}

// What one chip does, every chip does: the way depends on the relative place.
TEST(GridTest, WaysAreTheSameFromEveryPlaceOfATorus) {
  for (const Grid& grid : Grids()) {
    if (!grid.closes(0) || !grid.closes(1) || !grid.closes(2)) continue;
    for (int to = 0; to < grid.chips(); ++to) {
      const Offset way = ShortestOffset(grid, {}, PlaceOf(grid.size, to));
      for (int from = 0; from < grid.chips(); from += 5) {
        const Coordinate begin = PlaceOf(grid.size, from);
        ASSERT_EQ(ShortestOffset(grid, begin, Walk(grid, begin, way)), way)
            << SizeText(grid.size) << " from " << from;
      }
    }
  }
}

TEST(GridTest, EveryWireGoesBothWays) {
  for (const Grid& grid : Grids()) {
    for (int chip = 0; chip < grid.chips(); ++chip) {
      const Coordinate at = PlaceOf(grid.size, chip);
      for (int axis = 0; axis < kMostAxes; ++axis) {
        const auto next = Next(grid, at, DirectionOf(axis, true));
        if (next) {
          EXPECT_EQ(Next(grid, *next, DirectionOf(axis, false)), at);
        }
      }
    }
  }
}

// Published mean distances: 4x4x8 4.0 and twisted 3.44, 4x8x8 5.0 and 4.31
// (over all chips, the own one too).
TEST(GridTest, TheTwistShortensWays) {
  const auto mean = [](const Grid& grid) {
    double sum = 0;
    for (int to = 0; to < grid.chips(); ++to)
      sum += Distance(ShortestOffset(grid, {}, PlaceOf(grid.size, to)));
    return sum / grid.chips();
  };
  Grid small = {.size = {4, 4, 8}, .wraps = {true, true, true}};
  Grid large = {.size = {4, 8, 8}, .wraps = {true, true, true}};
  EXPECT_NEAR(mean(small), 4.0, 0.005);
  EXPECT_NEAR(mean(large), 5.0, 0.005);
  small.twisted = large.twisted = true;
  EXPECT_NEAR(mean(small), 3.44, 0.005);
  EXPECT_NEAR(mean(large), 4.31, 0.005);
}

// Both ways round of an even ring are as long; neither gets all of it.
TEST(GridTest, WaysAreSpreadOverBothDirections) {
  const Grid grid = {.size = {4, 4, 4}, .wraps = {true, true, true}};
  for (int axis = 0; axis < kMostAxes; ++axis) {
    int ahead = 0;
    int behind = 0;
    for (int to = 0; to < grid.chips(); ++to) {
      const int steps = ShortestOffset(grid, {}, PlaceOf(grid.size, to))[axis];
      (steps > 0 ? ahead : behind) += std::abs(steps);
    }
    EXPECT_EQ(ahead, behind) << axis;
  }
}

}  // namespace
}  // namespace podsim
