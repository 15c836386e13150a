#include "runtime/trace/coordinator_tracks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

JobEvent EventAt(double seconds) {
  JobEvent event;
  event.set_wall_time(seconds);
  return event;
}

std::vector<CoordinatorMoment> Moments() {
  std::vector<CoordinatorMoment> moments;
  for (const int step : {19, 20, 21}) {
    JobEvent event = EventAt(step);
    event.mutable_step()->set_step(step);
    moments.push_back(*MomentOf(event));
  }
  JobEvent saved = EventAt(20.5);
  saved.mutable_saved()->set_step(18);
  saved.mutable_saved()->set_seconds_written(2);
  moments.push_back(*MomentOf(saved));
  return moments;
}

std::vector<std::string> SliceNames(const TraceTrack& track) {
  std::vector<std::string> names;
  for (const TraceSlice& slice : track.slices) names.push_back(slice.name);
  return names;
}

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(MomentOf, ACheckpointTakesFromItsPauseToItsCommit) {
  const CoordinatorMoment saved = Moments().back();
  EXPECT_EQ(saved.begin, 18 * kSecond + kSecond / 2);
  EXPECT_EQ(saved.end, 20 * kSecond + kSecond / 2);
  EXPECT_FALSE(saved.is_step);
  EXPECT_EQ(saved.step, 18);
}

TEST(MomentOf, FormingIsNone) {
  JobEvent event = EventAt(1);
  event.mutable_formed();
  EXPECT_EQ(MomentOf(event), std::nullopt);
}

TEST(CoordinatorTracks, HasTheTracedStepsAndWhatLiesAmongThem) {
  const TraceProcess process =
      CoordinatorTracks(Moments(), 20, 21, 20 * kSecond, 21 * kSecond);
  EXPECT_EQ(process.name, "wall: coordinator");
  EXPECT_EQ(process.clock, TraceClock::kWall);
  ASSERT_EQ(process.tracks.size(), 2U);
  EXPECT_EQ(process.tracks[0].name, "reports");
  EXPECT_THAT(SliceNames(process.tracks[0]),
              ElementsAre("step 20 reported by all hosts",
                          "step 21 reported by all hosts"));
  EXPECT_EQ(process.tracks[1].name, "events");
  EXPECT_THAT(SliceNames(process.tracks[1]),
              ElementsAre("checkpoint of step 18: written and committed"));
  EXPECT_THAT(
      CoordinatorTracks(Moments(), 30, 31, 30 * kSecond, 31 * kSecond).tracks,
      IsEmpty());
}

}  // namespace
}  // namespace podsim
