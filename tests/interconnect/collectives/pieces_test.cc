// Where large sums and copies are cut, and who runs the pieces.
#include "interconnect/collectives/pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podsim {
namespace {

using ::testing::ElementsAre;

class CutTest : public ::testing::TestWithParam<std::size_t> {};  // size
INSTANTIATE_TEST_SUITE_P(ElementSizes, CutTest, ::testing::Values(1, 2, 4));

TEST_P(CutTest, WhatIsShortStaysWhole) {
  const std::size_t size = GetParam();
  const auto least = kLeastCutBytes / static_cast<std::int64_t>(size);
  for (const std::int64_t elements :
       {std::int64_t{0}, std::int64_t{1}, least - 1}) {
    EXPECT_THAT(CutIntoPieces(elements, size), ElementsAre(Range{0, elements}));
  }
  EXPECT_GT(CutIntoPieces(least, size).size(), 1u);
}

TEST_P(CutTest, PiecesCoverEachElementOnceAndBeginOnPieceBounds) {
  const std::size_t size = GetParam();
  const auto least = kLeastCutBytes / static_cast<std::int64_t>(size);
  for (const std::int64_t elements :
       {least, least + 1, 3 * least - 1, 3 * least, 3 * least + 1}) {
    std::int64_t next = 0;
    for (const Range& piece : CutIntoPieces(elements, size)) {
      EXPECT_EQ(piece.begin, next);
      EXPECT_EQ(piece.begin * static_cast<std::int64_t>(size) % kPieceBytes, 0);
      EXPECT_GT(piece.count, 0);
      EXPECT_LE(piece.count * static_cast<std::int64_t>(size), kPieceBytes);
      next += piece.count;
    }
    EXPECT_EQ(next, elements);
  }
}

TEST(RunInPiecesTest, WithoutARunnerAllIsDoneAtOnce) {
  std::vector<Range> seen;
  RunInPieces(nullptr, 1'000'000, 4,
              [&](const Range& piece) { seen.push_back(piece); });
  EXPECT_THAT(seen, ElementsAre(Range{0, 1'000'000}));
}

TEST(RunInPiecesTest, TheRunnerIsAskedOnlyForSeveralPieces) {
  int asked = 0;
  const ParallelRunner backwards = [&](std::int64_t count, const auto& fn) {
    ++asked;
    while (count > 0) fn(--count);
  };
  std::vector<Range> seen;
  const auto see = [&](const Range& piece) { seen.push_back(piece); };
  RunInPieces(backwards, 1000, 4, see);
  EXPECT_EQ(asked, 0);
  EXPECT_THAT(seen, ElementsAre(Range{0, 1000}));
  seen.clear();
  RunInPieces(backwards, 65537, 4, see);
  EXPECT_EQ(asked, 1);
  EXPECT_THAT(
      seen, ElementsAre(Range{65536, 1}, Range{32768, 32768}, Range{0, 32768}));
}

}  // namespace
}  // namespace podsim
