#include "runtime/report/held_events.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

JobEvent HeldStep(std::int64_t number) {
  JobEvent event;
  event.mutable_step()->set_step(number);
  return event;
}

TEST(HeldEventsTest, FirstInIsFirstOut) {
  HeldEvents held(1 << 20);
  EXPECT_FALSE(held.Take().has_value());
  const absl::Time now = absl::FromUnixSeconds(5);
  held.Add(HeldStep(1), now);
  held.Add(HeldStep(2), now + absl::Seconds(1));
  EXPECT_FALSE(held.TakeExcess().has_value());
  EXPECT_EQ(held.Take()->event.step().step(), 1);
  EXPECT_FALSE(held.empty());
  EXPECT_EQ(held.Take()->arrived, now + absl::Seconds(1));
  EXPECT_TRUE(held.empty());
}

TEST(HeldEventsTest, HoldsSoManyBytes) {
  HeldEvents held(2 * HeldStep(1).ByteSizeLong());
  for (const int step : {1, 2, 3, 4}) held.Add(HeldStep(step), {});
  EXPECT_EQ(held.TakeExcess()->event.step().step(), 1);
  EXPECT_EQ(held.TakeExcess()->event.step().step(), 2);
  EXPECT_FALSE(held.TakeExcess().has_value());
  EXPECT_EQ(held.Take()->event.step().step(), 3);
  held.Add(HeldStep(5), {});
  EXPECT_FALSE(held.TakeExcess().has_value());
}

}  // namespace
}  // namespace podsim
