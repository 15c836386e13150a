#include "runtime/trace/wall_tracks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

namespace podsim {
namespace {

using ::testing::ElementsAre;

void AddSpan(TracePart& part, TraceSpan::Kind kind, int host, int hosts,
             std::int64_t begin, std::int64_t end, std::int64_t step = 20) {
  TraceSpan& span = *part.add_spans();
  span.set_kind(kind);
  span.set_host(host);
  span.set_hosts(hosts);
  span.set_peer(-1);
  span.set_begin(static_cast<std::uint64_t>(begin));
  span.set_end(static_cast<std::uint64_t>(end));
  span.set_step(step);
  span.set_name("name");
}

TraceSpan& LastOf(TracePart& part) {
  return *part.mutable_spans(part.spans_size() - 1);
}

// Two processes: hosts 0 and 1, whose clock is 1,000 ns behind, and host 2.
std::vector<TracePart> TwoParts() {
  std::vector<TracePart> parts(2);
  parts[0].set_cores_per_host(2);
  parts[0].set_offset_ns(1000);
  AddSpan(parts[0], TraceSpan::STEP, 0, 2, 500, 900);
  AddSpan(parts[0], TraceSpan::COMPUTE, 1, 1, 510, 600);
  LastOf(parts[0]).set_cores(2);
  AddSpan(parts[0], TraceSpan::SEND, 1, 1, 610, 620);
  LastOf(parts[0]).set_peer(2);
  LastOf(parts[0]).set_flow(77);
  LastOf(parts[0]).set_bytes(64);
  parts[1].set_cores_per_host(2);
  AddSpan(parts[1], TraceSpan::RECEIVE, 2, 1, 1'615, 1'630);
  LastOf(parts[1]).set_peer(1);
  LastOf(parts[1]).set_flow(77);
  AddSpan(parts[1], TraceSpan::WAIT, 2, 1, 1'400, 1'630);
  LastOf(parts[1]).set_peer(1);
  return parts;
}

std::vector<std::string> Names(const TraceProcess& process) {
  std::vector<std::string> names;
  for (const TraceTrack& track : process.tracks) names.push_back(track.name);
  return names;
}

TEST(WallTracks, EachHostHasItsOwnOnTheCoordinatorsClock) {
  const auto hosts = WallTracks(TwoParts());
  ASSERT_EQ(hosts.size(), 3U);
  EXPECT_EQ(hosts[0].name, "wall: host 0");
  EXPECT_EQ(hosts[0].clock, TraceClock::kWall);
  EXPECT_THAT(Names(hosts[0]), ElementsAre("steps"));
  // Its cores are the slice's third and fourth.
  EXPECT_THAT(Names(hosts[1]),
              ElementsAre("steps", "core 2", "core 3", "send to host 2"));
  EXPECT_THAT(Names(hosts[2]), ElementsAre("steps", "receive from host 1"));
  const TraceSlice& step = hosts[1].tracks[0].slices[0];
  EXPECT_EQ(step.begin, 1500);
  EXPECT_EQ(step.end, 1900);
}

TEST(WallTracks, AChunkIsAnArrow) {
  const auto hosts = WallTracks(TwoParts());
  const TraceSlice& sent = hosts[1].tracks[3].slices[0];
  const TraceSlice& received = hosts[2].tracks[1].slices[0];
  EXPECT_EQ(sent.flow_out, 77U);
  EXPECT_EQ(sent.flow_in, 0U);
  EXPECT_EQ(received.flow_in, 77U);
  EXPECT_EQ(received.flow_out, 0U);
  EXPECT_LT(sent.begin, received.begin);
}

TEST(WallTracks, AWaitSaysForWhom) {
  const auto hosts = WallTracks(TwoParts());
  EXPECT_EQ(hosts[2].tracks[0].slices[0].name, "wait for host 1: name");
}

// Beside the steps, into which they may reach, as they belong to one of them.
TEST(WallTracks, CheckpointsAreWrittenOnATrackOfTheirOwn) {
  std::vector<TracePart> parts = TwoParts();
  AddSpan(parts[1], TraceSpan::STEP, 2, 1, 1'390, 1'700);
  AddSpan(parts[1], TraceSpan::CHECKPOINT_WRITE, 2, 1, 1'650, 9'000);
  LastOf(parts[1]).set_bytes(64);
  const auto hosts = WallTracks(parts);
  EXPECT_THAT(Names(hosts[2]),
              ElementsAre("steps", "checkpoint writes", "receive from host 1"));
  ASSERT_EQ(hosts[2].tracks[1].slices.size(), 1U);
  const TraceSlice& write = hosts[2].tracks[1].slices[0];
  EXPECT_EQ(write.name, "checkpoint write");
  EXPECT_EQ(write.end, 9'000);
  ASSERT_EQ(write.arguments.size(), 2U);
  EXPECT_EQ(std::get<std::int64_t>(write.arguments[0].value), 20);
  EXPECT_EQ(write.arguments[1].name, "bytes");
}

TEST(WallTracks, TheFirstMomentIsOfTheFirstStep) {
  std::vector<TracePart> parts = TwoParts();
  AddSpan(parts[1], TraceSpan::STEP, 2, 1, 10, 20, /*step=*/21);
  EXPECT_THAT(StepsOf(parts), ElementsAre(20, 21));
  EXPECT_EQ(FirstMomentOf(parts), 1400);
  EXPECT_EQ(FirstMomentOf({}), std::nullopt);
}

}  // namespace
}  // namespace podsim
