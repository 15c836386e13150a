// A trace read back by its format's own messages.
#ifndef PODSIM_TESTS_RUNTIME_TRACE_READ_BACK_H_
#define PODSIM_TESTS_RUNTIME_TRACE_READ_BACK_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "proto/third_party/perfetto/perfetto_trace.pb.h"

namespace podsim::testing {

struct ReadSlice {
  std::string process;
  std::string track;
  std::string name;
  std::string category;
  std::int64_t begin = 0;
  std::int64_t end = -1;
  int depth = 0;
  std::map<std::string, std::string> arguments;
  std::vector<std::uint64_t> flows_out;
  std::vector<std::uint64_t> flows_in;
};

// Adds failures where it is no well-formed trace: ends without begins, times
// that go back on a track, names that nobody told.
inline std::vector<ReadSlice> ReadTrace(const std::string& bytes) {
  namespace pb = ::perfetto::protos;
  pb::Trace trace;
  EXPECT_TRUE(trace.ParseFromString(bytes));
  std::map<std::uint64_t, std::pair<std::string, std::string>> tracks;
  std::map<std::uint64_t, std::string> names, categories, arguments;
  std::map<std::uint64_t, std::vector<std::size_t>> open;
  std::map<std::uint64_t, std::int64_t> last;
  std::vector<ReadSlice> slices;
  bool is_first = true;
  for (const pb::TracePacket& packet : trace.packet()) {
    EXPECT_EQ(packet.sequence_flags(),
              is_first ? pb::TracePacket::SEQ_INCREMENTAL_STATE_CLEARED
                       : pb::TracePacket::SEQ_NEEDS_INCREMENTAL_STATE);
    is_first = false;
    for (const auto& each : packet.interned_data().event_names())
      names[each.iid()] = each.name();
    for (const auto& each : packet.interned_data().event_categories())
      categories[each.iid()] = each.name();
    for (const auto& each : packet.interned_data().debug_annotation_names())
      arguments[each.iid()] = each.name();
    if (packet.has_track_descriptor()) {
      const pb::TrackDescriptor& track = packet.track_descriptor();
      EXPECT_NE(track.name(), "");
      EXPECT_TRUE(track.parent_uuid() == 0 ||
                  tracks.contains(track.parent_uuid()));
      // A track's parent is its process, whose parent is its clock.
      EXPECT_TRUE(tracks
                      .emplace(track.uuid(),
                               std::pair(tracks[track.parent_uuid()].second,
                                         track.name()))
                      .second);
    }
    if (!packet.has_track_event()) continue;
    const pb::TrackEvent& event = packet.track_event();
    const std::uint64_t track = event.track_uuid();
    const auto at = static_cast<std::int64_t>(packet.timestamp());
    EXPECT_TRUE(tracks.contains(track));
    EXPECT_GE(at, last[track]);
    last[track] = at;
    if (event.type() == pb::TrackEvent::TYPE_SLICE_END) {
      EXPECT_FALSE(open[track].empty()) << "an end without a begin";
      if (open[track].empty()) continue;
      slices[open[track].back()].end = at;
      open[track].pop_back();
      continue;
    }
    EXPECT_EQ(event.type(), pb::TrackEvent::TYPE_SLICE_BEGIN);
    EXPECT_TRUE(names.contains(event.name_iid()));
    EXPECT_EQ(event.category_iids_size(), 1);
    ReadSlice slice = {.process = tracks[track].first,
                       .track = tracks[track].second,
                       .name = names[event.name_iid()],
                       .category = categories[event.category_iids(0)],
                       .begin = at,
                       .depth = static_cast<int>(open[track].size())};
    for (const pb::DebugAnnotation& each : event.debug_annotations())
      slice.arguments[arguments[each.name_iid()]] =
          each.has_int_value() ? std::to_string(each.int_value())
                               : each.string_value();
    slice.flows_out.assign(event.flow_ids().begin(), event.flow_ids().end());
    slice.flows_in.assign(event.terminating_flow_ids().begin(),
                          event.terminating_flow_ids().end());
    open[track].push_back(slices.size());
    slices.push_back(std::move(slice));
  }
  for (const auto& [track, left] : open)
    EXPECT_TRUE(left.empty())
        << "a begin without an end on " << tracks[track].second;
  return slices;
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_RUNTIME_TRACE_READ_BACK_H_
