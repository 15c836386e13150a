#include "chip/op_ways.h"

#include <gtest/gtest.h>

#include <map>

#include "models/ops/op_table.h"

namespace podsim {
namespace {

// WayOf refuses an op that nobody has said it of.
TEST(WayOf, EveryOpOfTheTableHasOne) {
  std::map<ChipWay, int> ways;
  for (const OpEntry* entry : AllOps()) ++ways[WayOf(*entry)];
  EXPECT_EQ(ways[ChipWay::kMultiplies], 5)
      << "three MatMuls, dot_general, convolution";
  EXPECT_EQ(ways[ChipWay::kFolds], 3) << "reduce, arg_max, BiasGrad";
  EXPECT_EQ(ways[ChipWay::kJoins], 1);
  EXPECT_GT(ways[ChipWay::kPasses], 50);
}

TEST(NeedsInHbm, WhatIsReadAtNamedPlaces) {
  const auto needs = [](const char* op, std::size_t operand) {
    return NeedsInHbm(EntryOf(OpCode(op)), operand);
  };
  EXPECT_TRUE(needs("gather", 0));
  EXPECT_FALSE(needs("gather", 1)) << "indices are read in order";
  EXPECT_TRUE(needs("arg_sort", 0));
  EXPECT_TRUE(needs("all_reduce", 0));
  EXPECT_TRUE(needs("reduce_window", 0));
  EXPECT_FALSE(needs("reduce", 0));
  EXPECT_FALSE(needs("convolution", 0));
  EXPECT_FALSE(needs("add", 1));
}

}  // namespace
}  // namespace podsim
