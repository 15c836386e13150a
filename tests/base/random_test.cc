#include "base/random.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::ElementsAre;

// Known answers of philox4x32-10: kat_vectors of the Random123 distribution
// (D. E. Shaw Research), counter and key words as listed there.
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_THAT(Philox(0, 0, 0),
              ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  EXPECT_THAT(Philox(kOnes, kOnes, kOnes),
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  // Digits of pi: counter 243f6a88 85a308d3 13198a2e 03707344, key a4093822
  // 299f31d0; the first word is the low half.
  EXPECT_THAT(
      Philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e),
      ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

TEST(PhiloxWords, AreThoseOfTheBlocksInTurn) {
  constexpr std::uint64_t kKey = 0x123456789ABCDEF0;
  for (const std::size_t count : {0U, 1U, 31U, 32U, 77U}) {
    std::vector<std::uint32_t> words(count);
    PhiloxWords(kKey, 5, words);
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_EQ(words[i], Philox(kKey, i / 4, 5)[i % 4]) << count << " " << i;
  }
}

TEST(RandomKey, TellsSeedsAndNamesApart) {
  std::set<std::uint64_t> keys;
  for (const std::uint64_t seed : {0, 1, 2})
    for (const char* name : {"", "a", "b", "ab", "ba", "dense_1/kernel"})
      keys.insert(RandomKey(seed, name));
  EXPECT_EQ(keys.size(), 18);
  EXPECT_EQ(RandomKey(7, "dense_1/kernel"), RandomKey(7, "dense_1/kernel"));
}

// Weights of saved plans and checkpoints depend on it: a change must be seen.
TEST(RandomKey, IsStable) {
  // FNV-1a of "a" is its published test value af63dc4c8601ec8c.
  const auto words = Philox(5, 0xaf63dc4c8601ec8c, 1);
  EXPECT_EQ(RandomKey(5, "a"), (std::uint64_t{words[0]} << 32) | words[1]);
}

TEST(UniformFloat, FillsTheUnitIntervalEvenly) {
  constexpr int kDraws = 100'000;
  constexpr int kBins = 16;
  std::vector<int> bins(kBins);
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) {
    const float value = UniformFloat(11, i);
    ASSERT_GE(value, 0.0F);
    ASSERT_LT(value, 1.0F);
    ++bins[static_cast<int>(value * kBins)];
    sum += value;
  }
  // Five standard deviations of a mean (sqrt(1/12/n)) and of a binomial bin.
  EXPECT_NEAR(sum / kDraws, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
  const double expected = double{kDraws} / kBins;
  for (const int bin : bins)
    EXPECT_NEAR(bin, expected, 5 * std::sqrt(expected));
}

TEST(UniformFloat, TakesTheFourWordsOfEachBlockInTurn) {
  for (std::uint64_t index = 0; index < 12; ++index) {
    const std::uint32_t word = Philox(9, index / 4, 0)[index % 4];
    EXPECT_EQ(UniformFloat(9, index),
              static_cast<float>(word / 256) / 16777216.0F);
  }
}

std::vector<std::uint64_t> Elements(const Permutation& permutation) {
  std::vector<std::uint64_t> elements;
  for (std::uint64_t place = 0; place < permutation.size(); ++place)
    elements.push_back(permutation(place));
  return elements;
}

// All small sizes and the neighbours of each power of two up to 2^16.
TEST(Permutation, IsABijection) {
  std::vector<std::uint64_t> sizes(130);
  std::iota(sizes.begin(), sizes.end(), 1);
  for (int bits = 8; bits <= 16; ++bits)
    for (const int off : {-1, 0, 1})
      sizes.push_back((std::uint64_t{1} << bits) + off);
  sizes.push_back(60'000);
  for (const std::uint64_t size : sizes) {
    const Permutation permutation(size * 31 + 7, size);
    ASSERT_EQ(permutation.size(), size);
    std::vector<bool> seen(size);
    for (std::uint64_t place = 0; place < size; ++place) {
      const std::uint64_t element = permutation(place);
      ASSERT_LT(element, size);
      ASSERT_FALSE(seen[element]) << "size " << size << ", place " << place;
      seen[element] = true;
    }
  }
}

TEST(Permutation, WorksOnHugeSizes) {
  for (const std::uint64_t size :
       {std::uint64_t{1} << 32, (std::uint64_t{1} << 40) + 3,
        std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    const Permutation permutation(1, size);
    std::set<std::uint64_t> distinct;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const std::uint64_t element = permutation(size - 1 - i);
      ASSERT_LT(element, size);
      distinct.insert(element);
    }
    EXPECT_EQ(distinct.size(), 1000);
  }
}

TEST(Permutation, DependsOnTheKeyAndMixesWell) {
  constexpr std::uint64_t kSize = 1498;
  const auto one = Elements(Permutation(1, kSize));
  const auto two = Elements(Permutation(2, kSize));
  EXPECT_EQ(one, Elements(Permutation(1, kSize)));
  // Of two random orders one place in kSize agrees; 12 is beyond 1e-8.
  const auto same = [&](const auto& a, const auto& b) {
    int count = 0;
    for (std::uint64_t i = 0; i < kSize; ++i) count += a[i] == b[i] ? 1 : 0;
    return count;
  };
  EXPECT_LT(same(one, two), 12);
  std::vector<std::uint64_t> identity(kSize);
  std::iota(identity.begin(), identity.end(), 0);
  EXPECT_LT(same(one, identity), 12);
  // Neighbours must not stay neighbours: one pair in kSize / 2 would.
  int adjacent = 0;
  for (std::uint64_t i = 1; i < kSize; ++i)
    if (one[i] == one[i - 1] + 1 || one[i] + 1 == one[i - 1]) ++adjacent;
  EXPECT_LT(adjacent, 14);
}

TEST(PermutationDeathTest, RefusesPlacesBeyondItsSize) {
  EXPECT_DEATH(Permutation(1, 0), "size >= 1");
  const Permutation permutation(1, 5);
  EXPECT_DEATH(permutation(5), "place < size_");
}

}  // namespace
}  // namespace podsim
