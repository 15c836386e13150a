#include "base/trace/clock_offset.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

TEST(ClockOffset, NothingIsKnownBeforeTheFirstRoundTrip) {
  const ClockOffset offset;
  EXPECT_EQ(offset.trips(), 0);
  EXPECT_EQ(offset.nanoseconds(), 0);
  EXPECT_EQ(offset.uncertainty(), 0);
}

// 5 ns there, 1 ns of thought, 5 ns back, by a clock that is 100 ns ahead.
TEST(ClockOffset, AnEvenWayTellsItExactly) {
  ClockOffset offset;
  offset.Add({.asked = 100, .heard = 205, .answered = 206, .back = 111});
  EXPECT_EQ(offset.nanoseconds(), 100);
  EXPECT_EQ(offset.uncertainty(), 5);
}

// 9 ns there and 1 ns back: 4 ns off, which the uncertainty of 5 ns covers.
TEST(ClockOffset, AnUnevenWayIsWithinTheUncertainty) {
  ClockOffset offset;
  offset.Add({.asked = 100, .heard = 209, .answered = 209, .back = 110});
  EXPECT_EQ(offset.nanoseconds(), 104);
  EXPECT_EQ(offset.uncertainty(), 5);
}

TEST(ClockOffset, TheShortestRoundTripCounts) {
  ClockOffset offset;
  offset.Add({.asked = 0, .heard = -900, .answered = -900, .back = 200});
  EXPECT_EQ(offset.nanoseconds(), -1000);
  EXPECT_EQ(offset.uncertainty(), 100);
  offset.Add({.asked = 1000, .heard = 12, .answered = 12, .back = 1020});
  EXPECT_EQ(offset.nanoseconds(), -998);
  EXPECT_EQ(offset.uncertainty(), 10);
  offset.Add({.asked = 2000, .heard = 1400, .answered = 1400, .back = 2600});
  EXPECT_EQ(offset.nanoseconds(), -998);
  EXPECT_EQ(offset.trips(), 3);
}

TEST(ClockOffset, TimesOfTodayDoNotOverflow) {
  constexpr std::int64_t kNow = 1'800'000'000'000'000'000;
  ClockOffset offset;
  offset.Add({.asked = kNow,
              .heard = kNow + 57,
              .answered = kNow + 60,
              .back = kNow + 17});
  EXPECT_EQ(offset.nanoseconds(), 50);
  EXPECT_EQ(offset.uncertainty(), 7);
}

TEST(ClockOffset, AWayOfLessThanNothingIsPassedOver) {
  ClockOffset offset;
  offset.Add({.asked = 100, .heard = 200, .answered = 150, .back = 110});
  offset.Add({.asked = 100, .heard = 200, .answered = 220, .back = 110});
  EXPECT_EQ(offset.trips(), 0);
}

}  // namespace
}  // namespace podsim
