#include "base/clock.h"

#include <cstdlib>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

TEST(SimClock, MovesOnlyWhenTold) {
  SimClock clock;
  const absl::Time start = clock.Now();
  EXPECT_EQ(clock.Now(), start);
  clock.Advance(absl::Milliseconds(1500));
  EXPECT_EQ(clock.Now() - start, absl::Milliseconds(1500));
  clock.Advance(absl::Nanoseconds(1));
  EXPECT_EQ(clock.Now() - start, absl::Nanoseconds(1'500'000'001));
}

TEST(SimClock, AddsWhatSeveralThreadsAdd) {
  SimClock clock;
  const absl::Time start = clock.Now();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&clock] {
        for (int i = 0; i < 1000; ++i) clock.Advance(absl::Microseconds(1));
      });
  }
  EXPECT_EQ(clock.Now() - start, absl::Milliseconds(4));
}

TEST(SystemClock, NeverGoesBack) {
  const SystemClock clock;
  absl::Time last = clock.Now();
  for (int i = 0; i < 10'000; ++i) {
    const absl::Time now = clock.Now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(SystemClock, TellsTheWallTime) {
  const SystemClock clock;
  const absl::Time before = absl::Now();
  const absl::Time now = clock.Now();
  const absl::Time after = absl::Now();
  // Not the same clock's, so a little off; a wrong epoch or zone would be
  // hours.
  EXPECT_GT(now, before - absl::Minutes(10));
  EXPECT_LT(now, after + absl::Minutes(10));
}

}  // namespace
}  // namespace podsim
