#include "runtime/coordinator/read_bound.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace podsim {
namespace {

TEST(ReadBoundTest, ReadingStopsAndGoesOnAtHalf) {
  ReadBound bound(4);
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(bound.OnRead());
    EXPECT_TRUE(bound.OnRead());
    EXPECT_TRUE(bound.OnRead());
    EXPECT_FALSE(bound.OnRead());
    EXPECT_FALSE(bound.OnHandled());
    EXPECT_TRUE(bound.OnHandled());
    EXPECT_FALSE(bound.OnHandled());
    EXPECT_FALSE(bound.OnHandled());
  }
}

// The loop may be faster than the thread that has read.
TEST(ReadBoundTest, AMessageMayBeHandledBeforeItIsCounted) {
  ReadBound bound(2);
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(bound.OnHandled());
    EXPECT_TRUE(bound.OnRead());
  }
}

// Whatever the order, reading is stopped only while there is something to
// handle, so it never stops for good; and no more than the bound wait.
TEST(ReadBoundTest, NeverStopsForGood) {
  for (const std::int64_t most : {1, 2, 3, 7}) {
    ReadBound bound(most);
    std::int64_t waiting = 0;
    bool reads = true;
    std::uint32_t draw = 1;
    for (int i = 0; i < 10'000; ++i) {
      draw = draw * 1'664'525 + 1'013'904'223;
      if (reads && draw >> 31 == 0) {
        ++waiting;
        reads = bound.OnRead();
      } else if (waiting > 0) {
        --waiting;
        reads = bound.OnHandled() || reads;
      }
      EXPECT_LE(waiting, most);
      EXPECT_TRUE(reads || waiting > most / 2);
    }
  }
}

}  // namespace
}  // namespace podsim
