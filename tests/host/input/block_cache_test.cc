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

}  // namespace
}  // namespace podsim
