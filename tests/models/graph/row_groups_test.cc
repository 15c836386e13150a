// Row groups: how instructions are cut by their numbers.
#include "models/graph/row_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>

namespace podsim {
namespace {

using Numbers = std::vector<std::int32_t>;

std::vector<Instruction> Numbered(const Numbers& numbers) {
  std::vector<Instruction> instructions(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    instructions[i].row_group = numbers[i];
  return instructions;
}

struct Cut {
  Numbers numbers;
  std::vector<std::size_t> sizes;  // of the groups, in order
};

class RowGroupsTest : public ::testing::TestWithParam<Cut> {};

TEST_P(RowGroupsTest, NeighboursOfOneNumberRunTogether) {
  const std::vector<Instruction> instructions = Numbered(GetParam().numbers);
  std::vector<std::size_t> sizes;
  const Instruction* next = instructions.data();
  for (const auto group : RowGroups(instructions)) {
    EXPECT_EQ(group.data(), next);  // nothing is left out or copied
    next += group.size();
    sizes.push_back(group.size());
  }
  EXPECT_EQ(next, instructions.data() + instructions.size());
  EXPECT_EQ(sizes, GetParam().sizes);
}

INSTANTIATE_TEST_SUITE_P(
    Cuts, RowGroupsTest,
    ::testing::Values(Cut{{}, {}}, Cut{{kNoRowGroup}, {1}}, Cut{{5}, {1}},
                      Cut{{0, 0, 0}, {3}}, Cut{{0, 0, 1, 1, 1}, {2, 3}},
                      // Without a number nobody is a neighbour's.
                      Cut{{kNoRowGroup, kNoRowGroup}, {1, 1}},
                      Cut{{0, 0, kNoRowGroup, kNoRowGroup, 2}, {2, 1, 1, 1}},
                      // Only neighbours: others may come between.
                      Cut{{3, 3, kNoRowGroup, 3}, {2, 1, 1}},
                      Cut{{3, 4, 3}, {1, 1, 1}}));

}  // namespace
}  // namespace podsim
