// The sum of microbatches against a recursive one, bit for bit.
#include "host/core/tree_sum.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace podsim {
namespace {

using Leaves = std::vector<std::vector<float>>;

Leaves RandomLeaves(std::int64_t leaves, std::int64_t elements) {
  std::mt19937 random(static_cast<unsigned>(17 * leaves + elements));
  // Widely spread, so that the order of a sum shows in its bits.
  std::lognormal_distribution<float> magnitude(0, 6);
  Leaves values(leaves, std::vector<float>(elements));
  for (auto& leaf : values) {
    for (float& value : leaf)
      value = (random() % 2 == 0 ? 1.0F : -1.0F) * magnitude(random);
  }
  return values;
}

float Recursive(const Leaves& leaves, std::int64_t first, std::int64_t count,
                std::int64_t element) {
  if (count == 1) return leaves[first][element];
  return Recursive(leaves, first, count / 2, element) +
         Recursive(leaves, first + count / 2, count / 2, element);
}

std::vector<float> Sum(TreeSum& tree, const Leaves& leaves,
                       std::int64_t range) {
  std::vector<float> buffer;
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    buffer = leaves[leaf];
    const auto elements = static_cast<std::int64_t>(buffer.size());
    for (std::int64_t begin = 0; begin < elements; begin += range) {
      tree.Add(
          static_cast<std::int64_t>(leaf), begin,
          std::span(buffer).subspan(begin, std::min(range, elements - begin)));
    }
  }
  return buffer;
}

class TreeSumTest : public ::testing::TestWithParam<int> {};

TEST_P(TreeSumTest, EqualsTheRecursiveSumBitForBitEvenTwice) {
  const std::int64_t leaves = GetParam();
  constexpr std::int64_t kElements = 100;
  TreeSum tree(kElements, leaves);
  for (const std::int64_t range : {kElements, std::int64_t{33}}) {
    const Leaves values = RandomLeaves(leaves, kElements);
    const std::vector<float> sum = Sum(tree, values, range);
    for (std::int64_t element = 0; element < kElements; ++element) {
      EXPECT_EQ(sum[element], Recursive(values, 0, leaves, element));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Leaves, TreeSumTest,
                         ::testing::Values(1, 2, 4, 8, 64, 256));

TEST(TreeSum, DiffersFromASumInOrder) {
  const Leaves values = RandomLeaves(16, 100);
  TreeSum tree(100, 16);
  const std::vector<float> sum = Sum(tree, values, 100);
  int different = 0;
  for (std::int64_t element = 0; element < 100; ++element) {
    float in_order = 0;
    for (const auto& leaf : values) in_order += leaf[element];
    different += in_order != sum[element] ? 1 : 0;
  }
  EXPECT_GT(different, 0);
}

TEST(TreeSum, NeedsALevelPerDoubling) {
  EXPECT_EQ(TreeSum::Levels(1), 0);
  EXPECT_EQ(TreeSum::Levels(2), 1);
  EXPECT_EQ(TreeSum::Levels(64), 6);
}

}  // namespace
}  // namespace podsim
