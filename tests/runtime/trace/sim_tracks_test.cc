#include "runtime/trace/sim_tracks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace podsim {
namespace {

SimTime Ns(std::int64_t nanoseconds) {
  return SimTime::Picoseconds(nanoseconds * 1000);
}

// Two kernels, a sum between them and two messages of it on a link.
DrawnStep SmallStep() {
  DrawnStep step;
  step.kernels = {{.begin = Ns(0), .end = Ns(10), .name = "matmul"},
                  {.begin = Ns(30), .end = Ns(40), .name = "update"}};
  step.sums = {
      {.begin = Ns(10), .end = Ns(30), .bytes = 4096, .name = "all-reduce 0"}};
  step.messages = {{.link = 0,
                    .begin = Ns(12),
                    .end = Ns(18),
                    .bytes = 2048,
                    .name = "from chip 0"},
                   {.link = 0,
                    .begin = Ns(18),
                    .end = Ns(24),
                    .bytes = 2048,
                    .name = "from chip 3"}};
  step.links = {{0, "(0,0)-(1,0)"}};
  step.fixed = Ns(5);
  step.total = Ns(45);
  return step;
}

constexpr std::int64_t kBegin = 1'000'000;

std::vector<TraceProcess> Drawn() {
  return SimTracks(SmallStep(), {.first = 20,
                                 .count = 2,
                                 .begin = kBegin,
                                 .slice = "v3-32",
                                 .cores = 8,
                                 .of_cores = 32});
}

TEST(SimTracks, EveryDrawnCoreHasEveryKernelOfEveryStep) {
  const TraceProcess cores = Drawn()[0];
  EXPECT_EQ(cores.clock, TraceClock::kSim);
  EXPECT_EQ(cores.name, "sim: v3-32 cores, 8 of 32 that do the same");
  int with_kernels = 0;
  for (const TraceTrack& track : cores.tracks) {
    if (track.name.rfind("core ", 0) != 0) continue;
    ++with_kernels;
    ASSERT_EQ(track.slices.size(), 4U);
    EXPECT_EQ(track.slices[0].name, "matmul");
    EXPECT_EQ(track.slices[0].begin, kBegin);
    EXPECT_EQ(track.slices[0].end, kBegin + 10);
    // The second step begins when the first has had its fixed cost.
    EXPECT_EQ(track.slices[2].begin, kBegin + 45);
    EXPECT_EQ(std::get<std::int64_t>(track.slices[2].arguments[0].value), 21);
  }
  EXPECT_EQ(with_kernels, 8);
}

TEST(SimTracks, LinksHaveTheirMessages) {
  const auto processes = Drawn();
  ASSERT_EQ(processes.size(), 2U);
  EXPECT_EQ(processes[1].name, "sim: v3-32 links");
  ASSERT_EQ(processes[1].tracks.size(), 1U);
  const TraceTrack& link = processes[1].tracks[0];
  EXPECT_EQ(link.name, "link (0,0)-(1,0)");
  ASSERT_EQ(link.slices.size(), 4U);
  EXPECT_EQ(link.slices[1].name, "from chip 3");
  EXPECT_EQ(link.slices[1].begin, kBegin + 18);
  EXPECT_EQ(link.slices[2].begin, kBegin + 45 + 12);
}

TEST(SimTracks, WithoutMessagesThereAreNoLinks) {
  DrawnStep step = SmallStep();
  step.messages.clear();
  EXPECT_EQ(SimTracks(step, {.slice = "v3-8"}).size(), 1U);
}

TEST(DrawnSteps, AreAsManyAsFit) {
  DrawnStep step = SmallStep();
  EXPECT_EQ(DrawnSteps(step, 6, 8), 6);
  EXPECT_EQ(DrawnSteps(step, 0, 8), 1);
  // 2 * 8 kernels, 1 sum, 2 messages and 4 more: 23 of 500,000.
  EXPECT_EQ(DrawnSteps(step, 1'000'000, 8), 21'739);
  step.messages.resize(600'000);
  EXPECT_EQ(DrawnSteps(step, 6, 8), 1);
}

}  // namespace
}  // namespace podsim
