// Ways over the links, and faults.
#include "interconnect/timing/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::StatusIs;

Network Mesh(GridSize size, bool wraps = false) {
  return {.grid = {.size = size, .wraps = {wraps, wraps, wraps}},
          .links = {1e9, SimTime::Picoseconds(1000)}};
}

std::vector<std::string> Way(const Network& network, int from, int to) {
  const auto route = RouteBetween(network, from, to);
  EXPECT_TRUE(route.ok()) << route.status();
  std::vector<std::string> names;
  for (const std::int32_t link : route->links)
    names.push_back(LinkText(network.grid, link));
  return names;
}

TEST(NetworkTest, WaysGoAlongXThenY) {
  EXPECT_THAT(Way(Mesh({4, 4, 1}), 0, 6),
              ElementsAre("(0,0)-(1,0)", "(1,0)-(2,0)", "(2,0)-(2,1)"));
  EXPECT_THAT(Way(Mesh({4, 4, 1}, true), 0, 3), ElementsAre("(0,0)-(3,0)"));
  EXPECT_THAT(
      Way(Mesh({2, 2, 2}), 0, 7),
      ElementsAre("(0,0,0)-(1,0,0)", "(1,0,0)-(1,1,0)", "(1,1,0)-(1,1,1)"));
}

TEST(NetworkTest, ACutWireIsGoneRound) {
  Network network = Mesh({3, 2, 1});
  network.faults = {{{0, 0}, {1, 0}, 0}};
  ASSERT_THAT(CheckNetwork(network), IsOk());
  EXPECT_THAT(Way(network, 0, 1),
              ElementsAre("(0,0)-(0,1)", "(0,1)-(1,1)", "(1,1)-(1,0)"));
  // Both ways.
  EXPECT_EQ(Way(network, 1, 0).size(), 3);
  // Others are not disturbed.
  EXPECT_THAT(Way(network, 1, 2), ElementsAre("(1,0)-(2,0)"));
}

// Of two ways round that are equally long, that over the more chips.
TEST(NetworkTest, MirroredCutsAreGoneRoundAlike) {
  Network network = Mesh({4, 4, 1});
  network.faults = {{{1, 1}, {2, 1}, 0}};
  EXPECT_THAT(Way(network, 5, 6),
              ElementsAre("(1,1)-(1,2)", "(1,2)-(2,2)", "(2,2)-(2,1)"));
  network.faults = {{{1, 2}, {2, 2}, 0}};
  EXPECT_THAT(Way(network, 9, 10),
              ElementsAre("(1,2)-(1,1)", "(1,1)-(2,1)", "(2,1)-(2,2)"));
  network.faults = {{{2, 1}, {2, 2}, 0}};
  EXPECT_THAT(Way(network, 6, 10),
              ElementsAre("(2,1)-(1,1)", "(1,1)-(1,2)", "(1,2)-(2,2)"));
}

TEST(NetworkTest, ALineThatIsCutHasNoWay) {
  Network network = Mesh({4, 1, 1});
  network.faults = {{{1, 0}, {2, 0}, 0}};
  EXPECT_THAT(RouteBetween(network, 0, 3),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("no way is left from chip (0,0) to (3,0)")));
}

TEST(NetworkTest, ASlowWireIsSlowBothWays) {
  Network network = Mesh({3, 3, 1});
  network.faults = {{{0, 0}, {1, 0}, 0.25}};
  const auto there = RouteBetween(network, 0, 1);
  const auto back = RouteBetween(network, 1, 0);
  EXPECT_EQ(RateOf(network, there->links[0]), 0.25);
  EXPECT_EQ(RateOf(network, back->links[0]), 0.25);
  EXPECT_EQ(RateOf(network, RouteBetween(network, 1, 2)->links[0]), 1);
}

TEST(NetworkTest, FaultsMustNameAWire) {
  for (const LinkFault& fault :
       {LinkFault{{0, 0}, {2, 0}, 0.5}, LinkFault{{0, 0}, {0, 0}, 0.5},
        LinkFault{{0, 0}, {9, 0}, 0.5}, LinkFault{{0, 0}, {3, 0}, 0.5}}) {
    Network network = Mesh({4, 4, 1});
    network.faults = {fault};
    EXPECT_THAT(CheckNetwork(network),
                StatusIs(kInvalid, HasSubstr("no wire joins")));
  }
  Network network = Mesh({4, 4, 1});
  network.faults = {{{0, 0}, {1, 0}, 1.5}};
  EXPECT_THAT(CheckNetwork(network), StatusIs(kInvalid, HasSubstr("0 (cut)")));
}

TEST(NetworkTest, ASliceBringsItsFigures) {
  const Network network = NetworkOf(*FindSlice("v4-256"));
  EXPECT_EQ(network.grid.size, (GridSize{4, 4, 8}));
  EXPECT_TRUE(network.grid.closes(2));
  EXPECT_DOUBLE_EQ(network.links.bytes_per_second, 50e9 * 0.84);
  EXPECT_EQ(network.links.hop.picoseconds(), 360'000);
}

}  // namespace
}  // namespace podsim
