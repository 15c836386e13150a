// The wall clock is set back while somebody waits: by hand, by NTP, by a
// virtual machine that comes back.
#include <chrono>
#include <thread>

#include "absl/time/clock.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "tests/testing/set_back_clock.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using testing::SetClockBack;

// Long enough to set the clock meanwhile, and far from what it is set back by.
constexpr std::chrono::seconds kWait(1);
constexpr std::int64_t kBack = 60;

class ClockSetBackTest : public ::testing::Test {
 protected:
  void TearDown() override { SetClockBack(0); }
};

TEST_F(ClockSetBackTest, TheWallClockOfThisProgramIs) {
  const absl::Time before = absl::Now();
  SetClockBack(kBack);
  EXPECT_LT(std::chrono::system_clock::now(), absl::ToChronoTime(before));
}

TEST_F(ClockSetBackTest, LengthensNoWait) {
  Mutex mutex;
  CondVar changed;
  bool waits PODSIM_GUARDED_BY(mutex) = false;
  std::jthread waiter([&] {
    MutexLock lock(mutex);
    waits = true;
    while (changed.WaitFor(mutex, kWait)) {
    }
  });
  // The lock is free once the other waits.
  for (bool waiting = false; !waiting;) {
    MutexLock lock(mutex);
    waiting = waits;
  }
  const auto begin = std::chrono::steady_clock::now();
  SetClockBack(kBack);
  waiter.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin,
            std::chrono::seconds(kBack / 2));
}

TEST_F(ClockSetBackTest, TakesNothingFromADuration) {
  const SystemClock clock;
  const absl::Time before = clock.Now();
  SetClockBack(kBack);
  EXPECT_GE(clock.Now(), before);
}

// As the coordinators of a job's generations, each started later.
TEST_F(ClockSetBackTest, DoesNotPartTheClocksOfAJob) {
  const SystemClock clock;
  const absl::Time before = clock.Now();
  SetClockBack(kBack);
  EXPECT_LT(SystemClock().Now(), before);
  EXPECT_GE(SystemClock(WallOffset(clock)).Now(), before);
}

}  // namespace
}  // namespace podsim
