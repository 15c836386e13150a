#include "base/mutex.h"

#include <chrono>
#include <thread>
#include <vector>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

struct Counter {
  Mutex mutex;
  CondVar changed;
  int value PODSIM_GUARDED_BY(mutex) = 0;
};

TEST(Mutex, LetsOneIn) {
  Counter counter;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&counter] {
        for (int i = 0; i < 10'000; ++i) {
          MutexLock lock(counter.mutex);
          ++counter.value;
        }
      });
  }
  MutexLock lock(counter.mutex);
  EXPECT_EQ(counter.value, 40'000);
}

TEST(CondVar, WakesTheWaiter) {
  Counter counter;
  std::jthread other([&counter] {
    MutexLock lock(counter.mutex);
    counter.value = 1;
    counter.changed.NotifyAll();
  });
  MutexLock lock(counter.mutex);
  bool in_time = true;
  while (counter.value == 0 && in_time)
    in_time = counter.changed.WaitFor(counter.mutex, std::chrono::seconds(30));
  EXPECT_EQ(counter.value, 1);
}

TEST(CondVar, GivesUpInTimeAndHoldsTheLockAgain) {
  Counter counter;
  MutexLock lock(counter.mutex);
  const auto begin = std::chrono::steady_clock::now();
  // Spurious wake-ups are allowed; a timeout must come in the end.
  while (counter.changed.WaitFor(counter.mutex, std::chrono::milliseconds(5))) {
  }
  EXPECT_GE(std::chrono::steady_clock::now() - begin,
            std::chrono::milliseconds(4));
  counter.value = 2;
  EXPECT_EQ(counter.value, 2);
}

}  // namespace
}  // namespace podsim
