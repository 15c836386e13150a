// Which chips a group of neighbouring replicas has.
#include "interconnect/topology/group_slice.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

Slice Named(const std::string& name) {
  const auto slice = FindSlice(name);
  EXPECT_THAT(slice, testing::IsOk());
  return *slice;
}

struct GroupCase {
  const char* slice;
  int replicas;
  const char* grid;
};

class GroupOfTest : public ::testing::TestWithParam<GroupCase> {};

// Hosts of v3-512 are 8 x 8 boards of 2 x 2 chips; of v4-512, whose replicas
// are chips, 2 x 4 x 8.
TEST_P(GroupOfTest, HasTheChipsOfTheFirstReplicas) {
  const GroupCase& wanted = GetParam();
  const Slice group = GroupOf(Named(wanted.slice), wanted.replicas);
  EXPECT_EQ(group.grid_text(), wanted.grid);
  EXPECT_EQ(group.chips, group.grid.places());
  EXPECT_EQ(group.replicas, group.chips * group.chip().replicas_per_chip);
}

INSTANTIATE_TEST_SUITE_P(
    All, GroupOfTest,
    ::testing::Values(
        GroupCase{"v3-512", 2, "1x1"}, GroupCase{"v3-512", 4, "2x1"},
        GroupCase{"v3-512", 8, "2x2"}, GroupCase{"v3-512", 32, "8x2"},
        GroupCase{"v3-512", 64, "16x2"}, GroupCase{"v3-512", 128, "16x4"},
        GroupCase{"v3-512", 512, "16x16"}, GroupCase{"v3-512", 0, "16x16"},
        GroupCase{"v3-8", 16, "2x2"}, GroupCase{"v4-512", 2, "2x1x1"},
        GroupCase{"v4-512", 4, "2x2x1"}, GroupCase{"v4-512", 32, "4x8x1"},
        GroupCase{"v4-512", 64, "4x8x2"}));

TEST(GroupOf, WrapsWhereItHasAllOfAnAxis) {
  SliceOptions torus;
  torus.wrap = WrapPolicy::kTorus;
  const Slice slice = *FindSlice("v3-512", torus);
  EXPECT_EQ(GroupOf(slice, 8).wraps, (std::array{false, false, false}));
  EXPECT_EQ(GroupOf(slice, 128).wraps, (std::array{true, false, false}));
  EXPECT_EQ(GroupOf(slice, 512).wraps, slice.wraps);
}

TEST(GroupOf, KeepsTheFaultsOfItsOwnLinks) {
  Slice slice = Named("v3-32");
  slice.link_faults = {{{0, 0, 0}, {1, 0, 0}, 0.5},
                       {{1, 0, 0}, {2, 0, 0}, 0.5}};
  EXPECT_EQ(GroupOf(slice, 8).link_faults.size(), 1U);
  EXPECT_EQ(GroupOf(slice, 16).link_faults.size(), 2U);
}

}  // namespace
}  // namespace podsim
