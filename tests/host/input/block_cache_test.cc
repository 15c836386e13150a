#include "host/input/block_cache.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>

namespace podsim {
namespace {

TEST(BlockCache, ForgetsTheLongestUnused) {
  BlockCache cache(10);
  const auto block = [](std::size_t size) {
    return std::make_shared<const std::string>(size, 'x');
  };
  cache.Insert({.begin = 0}, block(4));
  cache.Insert({.begin = 1}, block(4));
  EXPECT_NE(cache.Find({.begin = 0}), nullptr);  // used: 1 is older now
  cache.Insert({.begin = 2}, block(4));
  EXPECT_EQ(cache.bytes(), 8);
  EXPECT_NE(cache.Find({.begin = 0}), nullptr);
  EXPECT_EQ(cache.Find({.begin = 1}), nullptr);
  cache.Insert({.begin = 3}, block(11));
  EXPECT_EQ(cache.Find({.begin = 3}), nullptr);
  EXPECT_EQ(cache.bytes(), 8);
}

TEST(BlockCache, SaysWhatIsHeldAndNotThere) {
  BlockCache cache(10);
  const auto next = [&](std::int64_t begin, std::int64_t end) {
    const auto piece = cache.NextHeld(/*file=*/1, begin, end);
    return piece.has_value() ? piece->begin : -1;
  };
  cache.Hold({.file = 1, .begin = 20, .length = 2});
  cache.Hold({.file = 1, .begin = 22, .length = 4});
  cache.Hold({.file = 2, .begin = 0, .length = 4});
  EXPECT_EQ(next(0, 100), 20);
  EXPECT_EQ(next(20, 21), 20);
  EXPECT_EQ(next(0, 20), -1);
  EXPECT_EQ(next(23, 100), -1);
  cache.Insert({.file = 1, .begin = 20, .length = 2},
               std::make_shared<const std::string>("xx"));
  EXPECT_EQ(next(0, 100), 22);
  cache.Release({.file = 1, .begin = 22, .length = 4});
  EXPECT_EQ(next(0, 100), -1);
}

}  // namespace
}  // namespace podsim
