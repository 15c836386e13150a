// What saving adds, by hand.
#include "runtime/forecast/save_forecast.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

SimTime Ms(int n) { return SimTime::Picoseconds(n * 1'000'000'000LL); }

TEST(SaveForecastTest, WritesHideBehindTheStepsBetween) {
  // 100 steps of 10 ms, a save after each 25: writes of 200 ms are over.
  const SaveForecast saves = ForecastSaves(
      {.steps = 100, .step = Ms(10), .every = 25}, Ms(3), Ms(200));
  EXPECT_EQ(saves.count, 4);
  EXPECT_EQ(saves.wait_seconds, 0);
  EXPECT_DOUBLE_EQ(saves.seconds(), 4 * 0.003 + 0.2);
}

TEST(SaveForecastTest, ANextSaveWaitsForAWriteThatIsNotOver) {
  // 400 ms of writing against 250 ms of steps: three saves wait 150 ms each.
  const SaveForecast saves = ForecastSaves(
      {.steps = 100, .step = Ms(10), .every = 25}, Ms(3), Ms(400));
  EXPECT_DOUBLE_EQ(saves.wait_seconds, 3 * 0.15);
  EXPECT_DOUBLE_EQ(saves.seconds(), 4 * 0.003 + 0.45 + 0.4);
}

TEST(SaveForecastTest, TheEndMayComeSooner) {
  // After steps 30, 60, 90 and 100: the last waits 400 - 100 ms, two 100.
  const SaveForecast saves = ForecastSaves(
      {.steps = 100, .step = Ms(10), .every = 30}, Ms(3), Ms(400));
  EXPECT_EQ(saves.count, 4);
  EXPECT_DOUBLE_EQ(saves.wait_seconds, 2 * 0.1 + 0.3);
}

TEST(SaveForecastTest, WithoutAnIntervalOnlyTheEndSaves) {
  const SaveForecast saves =
      ForecastSaves({.steps = 100, .step = Ms(10)}, Ms(3), Ms(400));
  EXPECT_EQ(saves.count, 1);
  EXPECT_DOUBLE_EQ(saves.seconds(), 0.003 + 0.4);
  EXPECT_EQ(ForecastSaves({.steps = 100, .step = Ms(10), .every = 1000}, Ms(3),
                          Ms(400))
                .count,
            1);
}

TEST(SaveForecastTest, ByTheClockSavesComeLaterInsteadOfWaiting) {
  // Every 250 ms: after 25, 50, 75 and 100 steps.
  const SaveTimes times = {.steps = 100, .step = Ms(10), .every_seconds = 0.25};
  EXPECT_EQ(ForecastSaves(times, Ms(3), Ms(200)).count, 4);
  EXPECT_EQ(ForecastSaves(times, Ms(3), Ms(200)).wait_seconds, 0);
  // Writes of 400 ms: after 40, 80 and 100; the end alone waits, 200 ms.
  const SaveForecast slow = ForecastSaves(times, Ms(3), Ms(400));
  EXPECT_EQ(slow.count, 3);
  EXPECT_DOUBLE_EQ(slow.wait_seconds, 0.2);
}

TEST(SaveForecastTest, OfStepsAndClockTheSoonerCounts) {
  const SaveTimes times = {
      .steps = 100, .step = Ms(10), .every = 10, .every_seconds = 0.25};
  EXPECT_EQ(ForecastSaves(times, Ms(3), Ms(50)).count, 10);
  EXPECT_EQ(
      ForecastSaves(
          {.steps = 100, .step = Ms(10), .every = 50, .every_seconds = 0.25},
          Ms(3), Ms(50))
          .count,
      4);
}

}  // namespace
}  // namespace podsim
