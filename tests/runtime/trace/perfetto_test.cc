// What is written is read back, by the same messages.
#include "runtime/trace/perfetto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "proto/third_party/perfetto/perfetto_trace.pb.h"
#include "tests/runtime/trace/read_back.h"

namespace podsim {
namespace {

using ::podsim::testing::ReadSlice;
using ::podsim::testing::ReadTrace;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(PerfettoTrace, OfNothingIsATrace) {
  EXPECT_THAT(ReadTrace(PerfettoTrace({})), IsEmpty());
}

TEST(PerfettoTrace, HasProcessesTracksAndNestedSlices) {
  const auto slices = ReadTrace(
      PerfettoTrace({{TraceClock::kWall,
                      "wall: host 0",
                      {{"steps",
                        {{100, 200, "step 1", {{"step", std::int64_t{1}}}},
                         {100, 150, "input"},
                         {150, 150, "wait"},
                         {150, 200, "update", {{"step", std::int64_t{1}}}}}}}},
                     {TraceClock::kSim,
                      "sim: v3-8 cores",
                      {{"core 0", {{100, 130, "k"}}}}}}));
  ASSERT_EQ(slices.size(), 5U);
  EXPECT_EQ(slices[0].process, "wall: host 0");
  EXPECT_EQ(slices[0].track, "steps");
  EXPECT_EQ(slices[0].name, "step 1");
  EXPECT_EQ(slices[0].category, "wall");
  EXPECT_EQ(slices[0].begin, 100);
  EXPECT_EQ(slices[0].end, 200);
  EXPECT_THAT(slices[0].arguments, ElementsAre(Pair("step", "1")));
  std::vector<int> depths;
  for (const ReadSlice& slice : slices) depths.push_back(slice.depth);
  EXPECT_THAT(depths, ElementsAre(0, 1, 1, 1, 0));
  EXPECT_EQ(slices[2].begin, 150);
  EXPECT_EQ(slices[2].end, 150);
  EXPECT_EQ(slices[4].process, "sim: v3-8 cores");
  EXPECT_EQ(slices[4].category, "sim");
}

// Perfetto's UI shows what has a process descriptor in an order of its own.
TEST(PerfettoTrace, GroupsAndTracksStandInTheOrderGiven) {
  const TraceTrack track = {"core 8", {{100, 130, "k"}}};
  perfetto::protos::Trace trace;
  ASSERT_TRUE(trace.ParseFromString(PerfettoTrace(
      {{TraceClock::kWall, "wall: host 2", {{"steps", {}}, track}},
       {TraceClock::kWall, "wall: host 10", {track}},
       {TraceClock::kSim, "sim: v3-8 cores", {track}}})));
  std::map<std::uint64_t, std::string> paths;
  std::vector<std::string> ranked;
  for (const auto& packet : trace.packet()) {
    if (!packet.has_track_descriptor()) continue;
    const auto& each = packet.track_descriptor();
    EXPECT_FALSE(each.has_process());
    paths[each.uuid()] = paths[each.parent_uuid()] + "/" + each.name();
    ranked.push_back(paths[each.uuid()] + " " +
                     std::to_string(each.sibling_order_rank()));
    EXPECT_EQ(
        each.child_ordering() == perfetto::protos::TrackDescriptor::EXPLICIT,
        each.name() != "steps" && each.name() != "core 8");
  }
  EXPECT_THAT(
      ranked,
      ElementsAre("/wall 0", "/wall/wall: host 2 1",
                  "/wall/wall: host 2/steps 0", "/wall/wall: host 2/core 8 1",
                  "/wall/wall: host 10 2", "/wall/wall: host 10/core 8 0",
                  "/sim 0", "/sim/sim: v3-8 cores 3",
                  "/sim/sim: v3-8 cores/core 8 0"));
}

TEST(PerfettoTrace, ArrowsGoFromSenderToReceiver) {
  const auto slices = ReadTrace(PerfettoTrace(
      {{TraceClock::kWall,
        "wall: host 0",
        {{"send to host 1",
          {{10, 20, "chunk 3", {{"bytes", std::int64_t{8}}}, 77, 0}}}}},
       {TraceClock::kWall,
        "wall: host 1",
        {{"receive from host 0", {{15, 25, "chunk 3", {}, 0, 77}}}}}}));
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_THAT(slices[0].flows_out, ElementsAre(77U));
  EXPECT_THAT(slices[0].flows_in, IsEmpty());
  EXPECT_THAT(slices[1].flows_out, IsEmpty());
  EXPECT_THAT(slices[1].flows_in, ElementsAre(77U));
}

// More than are kept as messages at a time; names are told once.
TEST(PerfettoTrace, ManySlicesOnTracksThatNestAreAllThere) {
  std::mt19937 random(3);
  std::vector<TraceSlice> slices;
  for (int i = 0; i < 10'000; ++i) {
    const std::int64_t begin =
        std::uniform_int_distribution<>(0, 99'999)(random);
    const std::int64_t length = std::uniform_int_distribution<>(0, 300)(random);
    slices.push_back({begin, begin + length, "slice " + std::to_string(i % 7)});
  }
  for (const Nesting nesting : {Nesting::kNested, Nesting::kDisjoint}) {
    const std::string bytes =
        PerfettoTrace({{TraceClock::kWall, "wall: host 0",
                        InTracks("track", slices, nesting)}});
    const auto read = ReadTrace(bytes);
    EXPECT_EQ(read.size(), slices.size());
    std::int64_t total = 0, expected = 0;
    for (const ReadSlice& slice : read) {
      EXPECT_LE(slice.begin, slice.end);
      if (nesting == Nesting::kDisjoint) EXPECT_EQ(slice.depth, 0);
      total += slice.end - slice.begin;
    }
    for (const TraceSlice& slice : slices) expected += slice.end - slice.begin;
    EXPECT_EQ(total, expected);
    // 50 steps of v3-128 are 1 million: 100 MB.
    EXPECT_LT(bytes.size(), slices.size() * 100);
  }
}

}  // namespace
}  // namespace podsim
