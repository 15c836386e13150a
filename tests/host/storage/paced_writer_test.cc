#include "host/storage/paced_writer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <thread>

namespace podsim {
namespace {

constexpr WritePace kNeverByItself = {.first = std::chrono::hours(1),
                                      .interval = std::chrono::hours(1)};
constexpr std::chrono::seconds kLong(60);

TEST(PacedWriterTest, WhatCameLastIsWrittenWhenItCloses) {
  int writes = 0;
  PacedWriter writer(kNeverByItself, [&] {
    ++writes;
    return Written::kAll;
  });
  writer.Wake();
  writer.Close();
  EXPECT_EQ(writes, 1);
}

TEST(PacedWriterTest, OfNothingNothingIsWritten) {
  int writes = 0;
  PacedWriter writer({}, [&] {
    ++writes;
    return Written::kAll;
  });
  EXPECT_TRUE(writer.CloseWithin(kLong));
  EXPECT_EQ(writes, 0);
}

TEST(PacedWriterTest, WhatIsLeftIsTriedOnceMoreAtTheEnd) {
  int writes = 0;
  std::latch tried(1);
  PacedWriter writer({.interval = std::chrono::hours(1)}, [&] {
    if (++writes == 1) tried.count_down();
    return Written::kSomeLeft;
  });
  writer.Wake();
  tried.wait();
  EXPECT_TRUE(writer.CloseWithin(kLong));
  EXPECT_EQ(writes, 2);
}

TEST(PacedWriterTest, WhatIsGivenUpIsNotTriedAgain) {
  int writes = 0;
  std::latch tried(1);
  PacedWriter writer({}, [&] {
    if (++writes == 1) tried.count_down();
    return Written::kGivenUp;
  });
  writer.Wake();
  tried.wait();
  writer.Wake();
  writer.Close();
  EXPECT_EQ(writes, 1);
}

// Whoever closes it gets away; the write ends when it can, and is the last.
TEST(PacedWriterTest, AWriteThatHangsIsLeftToItself) {
  struct Shared {
    std::latch begun{1};
    std::latch may_end{1};
    std::atomic<int> writes{0};
  };
  const auto shared = std::make_shared<Shared>();
  {
    PacedWriter writer({}, [shared] {
      ++shared->writes;
      shared->begun.count_down();
      shared->may_end.wait();
      return Written::kSomeLeft;
    });
    writer.Wake();
    shared->begun.wait();
    writer.Wake();
    EXPECT_FALSE(writer.CloseWithin(std::chrono::milliseconds(20)));
    EXPECT_FALSE(writer.CloseWithin(std::chrono::nanoseconds(0)));
  }
  shared->may_end.count_down();
  // The thread has a share in it until it ends.
  const auto deadline = std::chrono::steady_clock::now() + kLong;
  while (shared.use_count() > 1 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  EXPECT_EQ(shared.use_count(), 1);
  EXPECT_EQ(shared->writes, 1);
}

}  // namespace
}  // namespace podsim
