// Routes through a grid of chips.
#include "interconnect/timing/torus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TorusModel Grid(int x, int y, bool wrap) {
  return {.grid = {x, y},
          .wrap_x = wrap,
          .wrap_y = wrap,
          .link_bytes_per_second = 1e9,
          .hop = SimTime::Picoseconds(1000)};
}

// Where a route that begins at `chip` ends; -1 if a link does not begin where
// the one before it ended.
int EndOf(const TorusModel& torus, int chip, const std::vector<int>& route) {
  for (const int link : route) {
    if (link / kLinksPerChip != chip) return -1;
    int x = chip % torus.grid.x;
    int y = chip / torus.grid.x;
    switch (link % kLinksPerChip) {
      case 0:
        x = (x + 1) % torus.grid.x;
        break;
      case 1:
        x = (x + torus.grid.x - 1) % torus.grid.x;
        break;
      case 2:
        y = (y + 1) % torus.grid.y;
        break;
      default:
        y = (y + torus.grid.y - 1) % torus.grid.y;
    }
    chip = y * torus.grid.x + x;
  }
  return chip;
}

TEST(RouteBetween, TakesTheShortestWayAlongXThenY) {
  for (const bool wrap : {false, true}) {
    const TorusModel torus = Grid(4, 6, wrap);
    for (int from = 0; from < torus.chips(); ++from) {
      for (int to = 0; to < torus.chips(); ++to) {
        const std::vector<int> route = RouteBetween(torus, from, to);
        EXPECT_EQ(EndOf(torus, from, route), to);
        int dx = std::abs(from % 4 - to % 4);
        int dy = std::abs(from / 4 - to / 4);
        if (wrap) dx = std::min(dx, 4 - dx);
        if (wrap) dy = std::min(dy, 6 - dy);
        EXPECT_EQ(route.size(), dx + dy);
        bool y_began = false;
        for (const int link : route) {
          const bool along_y = link % kLinksPerChip >= 2;
          EXPECT_TRUE(along_y || !y_began);
          y_began = y_began || along_y;
        }
      }
    }
  }
}

TEST(RouteBetween, WrapsOnlyWhereTheAxisDoes) {
  TorusModel torus = Grid(4, 4, false);
  EXPECT_THAT(RouteBetween(torus, 5, 5), IsEmpty());
  EXPECT_THAT(RouteBetween(torus, 0, 3), ElementsAre(0, 4, 8));
  torus.wrap_x = true;
  EXPECT_THAT(RouteBetween(torus, 0, 3), ElementsAre(1));
  EXPECT_THAT(RouteBetween(torus, 0, 2), ElementsAre(0, 4));  // a tie: forward
  EXPECT_THAT(RouteBetween(torus, 0, 12), ElementsAre(2, 18, 34));
}

TEST(TransmitTime, IsBytesOverBandwidth) {
  // 250 elements of 4 bytes at 1 GB/s.
  EXPECT_EQ(TransmitTime(Grid(2, 2, false), 250),
            SimTime::Picoseconds(1'000'000));
}

TEST(TorusOf, TakesGridAndFiguresFromTheSlice) {
  const Slice slice = *FindSlice("v3-64");
  const TorusModel torus = TorusOf(slice);
  EXPECT_EQ(torus.chips(), 32);
  EXPECT_EQ(torus.link_bytes_per_second, slice.chip().link_bytes_per_second);
  EXPECT_EQ(torus.hop, SimTime::Seconds(slice.chip().hop_seconds));
}

}  // namespace
}  // namespace podsim
