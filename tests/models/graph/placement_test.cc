// Buffer placement by liveness, and gradient buckets.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "models/graph/buckets.h"
#include "models/graph/liveness.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

void ExpectDisjoint(const std::vector<BufferUse>& uses,
                    const BufferPlacement& placement) {
  ASSERT_EQ(placement.offsets.size(), uses.size());
  for (std::size_t a = 0; a < uses.size(); ++a) {
    EXPECT_GE(placement.offsets[a], 0);
    EXPECT_LE(placement.offsets[a] + uses[a].size, placement.total);
    for (std::size_t b = 0; b < a; ++b) {
      if (!uses[a].AliveWith(uses[b])) continue;
      const bool apart =
          placement.offsets[a] + uses[a].size <= placement.offsets[b] ||
          placement.offsets[b] + uses[b].size <= placement.offsets[a];
      EXPECT_TRUE(apart) << "buffers " << a << " and " << b;
    }
  }
}

// No placement can do with less than is alive at the fullest step.
std::int64_t Fullest(const std::vector<BufferUse>& uses) {
  std::int64_t fullest = 0;
  for (const BufferUse& at : uses) {
    std::int64_t alive = 0;
    for (const BufferUse& use : uses)
      if (use.first <= at.first && at.first <= use.last) alive += use.size;
    fullest = std::max(fullest, alive);
  }
  return fullest;
}

TEST(PlaceBuffers, NothingNeedsNothing) {
  EXPECT_EQ(PlaceBuffers({}).total, 0);
}

TEST(PlaceBuffers, AChainNeedsTwoNeighbours) {
  // Each tensor is read by the next step only.
  const std::vector<BufferUse> chain = {
      {100, 0, 1}, {100, 1, 2}, {100, 2, 3}, {100, 3, 4}};
  const BufferPlacement placement = PlaceBuffers(chain);
  ExpectDisjoint(chain, placement);
  EXPECT_EQ(placement.total, 200);
}

// As PlaceBuffers says it, without keeping what is placed in order.
BufferPlacement PlacedSlowly(const std::vector<BufferUse>& uses) {
  std::vector<std::size_t> order(uses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) {
                     return uses[a].size > uses[b].size;
                   });
  BufferPlacement result;
  result.offsets.resize(uses.size());
  for (std::size_t placed = 0; placed < order.size(); ++placed) {
    const BufferUse& buffer = uses[order[placed]];
    std::vector<std::pair<std::int64_t, std::int64_t>> busy;
    for (std::size_t i = 0; i < placed; ++i) {
      const std::int64_t begin = result.offsets[order[i]];
      if (buffer.AliveWith(uses[order[i]]))
        busy.emplace_back(begin, begin + uses[order[i]].size);
    }
    std::sort(busy.begin(), busy.end());
    std::int64_t at = -1;
    std::int64_t best = 0;
    std::int64_t free_from = 0;
    for (const auto& [begin, end] : busy) {
      const std::int64_t slack = begin - free_from - buffer.size;
      if (slack >= 0 && (at < 0 || slack < best)) {
        at = free_from;
        best = slack;
      }
      free_from = std::max(free_from, end);
    }
    result.offsets[order[placed]] = at >= 0 ? at : free_from;
    result.total =
        std::max(result.total, result.offsets[order[placed]] + buffer.size);
  }
  return result;
}

// Layouts of Programs are hashed: none may change.
TEST(PlaceBuffers, PlacesEachAsTheRuleSays) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<BufferUse> uses(random() % 60);
    for (BufferUse& use : uses) {
      use.size = static_cast<std::int64_t>(random() % 9);
      use.first = static_cast<std::int32_t>(random() % 20);
      use.last = use.first + static_cast<std::int32_t>(random() % 8);
    }
    const BufferPlacement expected = PlacedSlowly(uses);
    const BufferPlacement placed = PlaceBuffers(uses);
    EXPECT_EQ(placed.offsets, expected.offsets) << "round " << round;
    EXPECT_EQ(placed.total, expected.total);
  }
}

TEST(PlaceBuffers, TakesTheSmallestGapThatFits) {
  // While the last buffer lives, the places of the third (30 elements) and of
  // the fifth (10) are free.
  const std::vector<BufferUse> uses = {{50, 0, 9}, {40, 0, 9}, {30, 0, 4},
                                       {20, 0, 9}, {10, 0, 4}, {9, 0, 9},
                                       {8, 5, 9}};
  const BufferPlacement placement = PlaceBuffers(uses);
  ExpectDisjoint(uses, placement);
  EXPECT_EQ(placement.offsets[6], placement.offsets[4]);
}

class RandomPlacement : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomPlacement, NeverOverlapsAndReuses) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  std::mt19937 random(GetParam());
  std::vector<BufferUse> uses;
  for (int i = 0; i < 60; ++i) {
    const auto first = static_cast<std::int32_t>(random() % 50);
    uses.push_back({static_cast<std::int64_t>(random() % 1000 + 1), first,
                    first + static_cast<std::int32_t>(random() % 8)});
  }
  const BufferPlacement placement = PlaceBuffers(uses);
  ExpectDisjoint(uses, placement);
  std::int64_t sum = 0;
  for (const BufferUse& use : uses) sum += use.size;
  EXPECT_LT(placement.total, sum / 2);
  EXPECT_GE(placement.total, Fullest(uses));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlacement, ::testing::Range(0U, 20U));

std::vector<FinishedGradient> Gradients(std::vector<std::int64_t> sizes) {
  std::vector<FinishedGradient> gradients;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    gradients.push_back(
        {static_cast<TensorId>(100 + i), static_cast<TensorId>(i), sizes[i]});
  return gradients;
}

std::vector<std::int64_t> Counts(const std::vector<GradientBucket>& buckets) {
  std::vector<std::int64_t> counts;
  counts.reserve(buckets.size());
  for (const GradientBucket& bucket : buckets) counts.push_back(bucket.count);
  return counts;
}

TEST(MakeBuckets, ClosesAtTheGivenBytes) {
  using ::testing::ElementsAre;
  const auto gradients = Gradients({10, 20, 5, 100, 1, 1});
  EXPECT_THAT(Counts(MakeBuckets(gradients, 1)),
              ElementsAre(10, 20, 5, 100, 1, 1));
  EXPECT_THAT(Counts(MakeBuckets(gradients, 120)), ElementsAre(30, 105, 2));
  EXPECT_THAT(Counts(MakeBuckets(gradients, 121)), ElementsAre(35, 100, 2));
  EXPECT_THAT(Counts(MakeBuckets(gradients, 1 << 20)), ElementsAre(137));
  EXPECT_TRUE(MakeBuckets({}, 120).empty());
}

TEST(MakeBuckets, LieBehindOneAnotherInOrder) {
  std::int64_t end = 0;
  TensorId next = 0;
  for (const GradientBucket& bucket :
       MakeBuckets(Gradients({10, 20, 5, 100, 1, 1}), 120)) {
    EXPECT_EQ(bucket.begin, end);
    end += bucket.count;
    ASSERT_EQ(bucket.gradients.size(), bucket.variables.size());
    for (std::size_t i = 0; i < bucket.variables.size(); ++i) {
      EXPECT_EQ(bucket.variables[i], next);
      EXPECT_EQ(bucket.gradients[i], 100 + next++);
    }
  }
  EXPECT_EQ(next, 6);
}

}  // namespace
}  // namespace podsim
