#include "runtime/trace/tracks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace podsim {
namespace {

using ::testing::ElementsAre;

std::vector<std::vector<std::string>> NamesOf(
    const std::vector<TraceTrack>& tracks) {
  std::vector<std::vector<std::string>> names;
  for (const TraceTrack& track : tracks) {
    EXPECT_EQ(track.name, "track");
    std::vector<std::string>& of_track = names.emplace_back();
    for (const TraceSlice& slice : track.slices) of_track.push_back(slice.name);
  }
  return names;
}

TEST(InTracks, NoSliceIsNoTrack) {
  EXPECT_TRUE(InTracks("track", {}, Nesting::kNested).empty());
}

TEST(InTracks, SlicesStandInTheOrderInWhichTheyBeginTheLongerFirst) {
  EXPECT_THAT(NamesOf(InTracks("track",
                               {{50, 60, "later"},
                                {0, 10, "short"},
                                {0, 40, "long"},
                                {60, 70, "touches"}},
                               Nesting::kNested)),
              ElementsAre(ElementsAre("long", "short", "later", "touches")));
}

TEST(InTracks, WhatOverlapsGoesBesideIt) {
  // b lies across the end of a; c has room behind a.
  EXPECT_THAT(
      NamesOf(InTracks("track", {{0, 10, "a"}, {5, 15, "b"}, {10, 20, "c"}},
                       Nesting::kNested)),
      ElementsAre(ElementsAre("a", "c"), ElementsAre("b")));
}

TEST(InTracks, WhatMayNotNestGoesBesideItToo) {
  const std::vector<TraceSlice> slices = {{0, 10, "a"}, {2, 4, "b"}};
  EXPECT_THAT(NamesOf(InTracks("track", slices, Nesting::kNested)),
              ElementsAre(ElementsAre("a", "b")));
  EXPECT_THAT(NamesOf(InTracks("track", slices, Nesting::kDisjoint)),
              ElementsAre(ElementsAre("a"), ElementsAre("b")));
}

TEST(InTracks, MomentsTakeNoRoom) {
  EXPECT_THAT(NamesOf(InTracks("track", {{5, 5, "a"}, {5, 5, "b"}, {5, 9, "c"}},
                               Nesting::kDisjoint)),
              ElementsAre(ElementsAre("c"), ElementsAre("a", "b")));
}

}  // namespace
}  // namespace podsim
