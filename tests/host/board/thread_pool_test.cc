#include "host/board/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

namespace podsim {
namespace {

class ThreadPoolTest : public ::testing::TestWithParam<int> {};

TEST_P(ThreadPoolTest, RunsEachTaskOnce) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.threads(), GetParam());
  for (const std::int64_t count : {0, 1, 2, 3, 7, 64, 1000}) {
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
    pool.Run(count, [&](std::int64_t task) {
      runs.at(static_cast<std::size_t>(task)).fetch_add(1);
    });
    for (const auto& times : runs) EXPECT_EQ(times.load(), 1);
  }
}

TEST_P(ThreadPoolTest, NegativeCountRunsNothing) {
  ThreadPool pool(GetParam());
  bool ran = false;
  pool.Run(-5, [&](std::int64_t) { ran = true; });
  EXPECT_FALSE(ran);
}

// Plain memory on both sides of a Run: what tasks write, the caller reads and
// the other way round. ThreadSanitizer checks that this is in order.
TEST_P(ThreadPoolTest, ManySmallRunsHandDataBackAndForth) {
  constexpr int kRuns = 5000;
  ThreadPool pool(GetParam());
  std::vector<int> values(9, 0);
  for (int run = 0; run < kRuns; ++run) {
    pool.Run(static_cast<std::int64_t>(values.size()), [&](std::int64_t task) {
      ++values[static_cast<std::size_t>(task)];
    });
    values[static_cast<std::size_t>(run) % values.size()] += 1;
  }
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0),
            kRuns * static_cast<int>(values.size() + 1));
}

// Workers that went to sleep wake up: long tasks let the others run dry.
TEST_P(ThreadPoolTest, SleepersWakeUp) {
  ThreadPool pool(GetParam());
  std::atomic<std::int64_t> sum{0};
  for (int round = 0; round < 20; ++round) {
    pool.Run(8, [&](std::int64_t task) {
      if (task == 0) {
        // Some hundred microseconds of work, longer than a thread spins.
        std::int64_t busy = 0;
        for (int i = 0; i < 200000; ++i) {
          busy += i % 3;
          asm volatile("" : "+r"(busy));
        }
      }
      sum.fetch_add(task);
    });
  }
  EXPECT_EQ(sum.load(), 20 * 28);
}

TEST_P(ThreadPoolTest, StartsAndEndsWithoutWork) {
  for (int i = 0; i < 50; ++i) ThreadPool pool(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolTest,
                         ::testing::Values(1, 2, 3, 8));

TEST(ThreadPoolInlineTest, OneThreadIsTheCallers) {
  ThreadPool pool(1);
  std::vector<std::thread::id> ids;
  pool.Run(4, [&](std::int64_t) { ids.push_back(std::this_thread::get_id()); });
  EXPECT_EQ(ids, std::vector(4, std::this_thread::get_id()));
}

// Two tasks that wait for each other only end if two threads run them.
TEST(ThreadPoolParallelTest, TasksRunAtTheSameTime) {
  for (const int threads : {2, 3, 8}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> arrived{0};
      pool.Run(2, [&](std::int64_t) {
        arrived.fetch_add(1);
        while (arrived.load() < 2) std::this_thread::yield();
      });
      EXPECT_EQ(arrived.load(), 2);
    }
  }
}

// The same object may be driven by one thread after another.
TEST(ThreadPoolOwnerTest, MovesFromThreadToThread) {
  ThreadPool pool(3);
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    std::jthread([&] {
      std::vector<int> parts(10, 0);
      pool.Run(10, [&](std::int64_t task) {
        parts[static_cast<std::size_t>(task)] = 1;
      });
      sum += std::accumulate(parts.begin(), parts.end(), 0);
    }).join();
  }
  EXPECT_EQ(sum, 40);
}

TEST(ThreadPoolDeathTest, RefusesToRunInsideATask) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        ThreadPool pool(1);
        pool.Run(1, [&](std::int64_t) { pool.Run(1, [](std::int64_t) {}); });
      },
      "check failed");
  EXPECT_DEATH(ThreadPool(0), "check failed");
}

}  // namespace
}  // namespace podsim
