#include "tests/testing/pairwise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace podsim::testing {
namespace {

// Parameter and value, twice.
using Pair = std::tuple<std::size_t, int, std::size_t, int>;

std::set<Pair> PairsOf(const std::vector<Choice>& choices) {
  std::set<Pair> pairs;
  for (const Choice& choice : choices) {
    for (std::size_t a = 0; a < choice.size(); ++a) {
      for (std::size_t b = a + 1; b < choice.size(); ++b) {
        pairs.insert({a, choice[a], b, choice[b]});
      }
    }
  }
  return pairs;
}

// All choices, as plainly as possible.
std::vector<Choice> FullMatrix(const std::vector<int>& counts) {
  std::vector<Choice> all = {{}};
  for (const int count : counts) {
    std::vector<Choice> longer;
    for (const Choice& choice : all) {
      for (int value = 0; value < count; ++value) {
        longer.push_back(choice);
        longer.back().push_back(value);
      }
    }
    all = longer;
  }
  return all;
}

struct CoverCase {
  std::vector<int> counts;
  std::function<bool(const Choice&)> valid;
};

std::vector<CoverCase> CoverCases() {
  const auto any = [](const Choice&) { return true; };
  return {
      {{1, 1}, any},
      {{4, 3}, any},
      {{2, 2, 2, 2, 2, 2, 2, 2}, any},
      {{10, 8, 5, 5, 3, 2, 2, 2}, any},
      // A value that goes with one other only, as a narrow wire does.
      {{10, 5, 3, 2},
       [](const Choice& it) { return it[3] == 0 || it[2] == 0; }},
      // Most choices are invalid, and some pairs in all of them.
      {{6, 6, 6},
       [](const Choice& it) { return (it[0] + it[1] + it[2]) % 5 == 0; }},
      {{3, 3}, [](const Choice&) { return false; }},
  };
}

class PairwiseCoverTest : public ::testing::TestWithParam<CoverCase> {};
INSTANTIATE_TEST_SUITE_P(All, PairwiseCoverTest,
                         ::testing::ValuesIn(CoverCases()));

TEST_P(PairwiseCoverTest, HasEveryPairThatAnyValidChoiceHas) {
  std::vector<Choice> all_valid;
  for (const Choice& choice : FullMatrix(GetParam().counts)) {
    if (GetParam().valid(choice)) all_valid.push_back(choice);
  }
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    const auto cover = PairwiseCover(GetParam().counts, GetParam().valid, seed);
    EXPECT_TRUE(std::all_of(cover.begin(), cover.end(), GetParam().valid));
    EXPECT_EQ(PairsOf(cover), PairsOf(all_valid));
  }
}

TEST_P(PairwiseCoverTest, IsAFunctionOfItsSeed) {
  const auto& [counts, valid] = GetParam();
  EXPECT_EQ(PairwiseCover(counts, valid, 7), PairwiseCover(counts, valid, 7));
}

// The two longest parameters need one case for each of their pairs, 80 here.
TEST(PairwiseCoverSize, IsNotFarFromTheLeast) {
  const std::vector<int> counts = {10, 8, 5, 5, 3, 2, 2, 2};
  const auto any = [](const Choice&) { return true; };
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    EXPECT_LE(PairwiseCover(counts, any, seed).size(), 120) << "seed " << seed;
  }
}

TEST(PairwiseCoverSize, OfTwoParametersIsTheirMatrix) {
  EXPECT_EQ(PairwiseCover(
                {4, 3}, [](const Choice&) { return true; }, 1)
                .size(),
            12);
}

}  // namespace
}  // namespace podsim::testing
