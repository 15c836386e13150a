#include "runtime/trace/tracks.h"

#include <algorithm>
#include <utility>

namespace podsim {
namespace {

// A track that is being filled: where the slices end that are open.
struct Lane {
  TraceTrack track;
  std::vector<std::int64_t> open;

  bool Fits(const TraceSlice& slice, Nesting nesting) {
    while (!open.empty() && open.back() <= slice.begin) open.pop_back();
    if (open.empty()) return true;
    return nesting == Nesting::kNested && slice.end <= open.back();
  }
};

}  // namespace

std::vector<TraceTrack> InTracks(const std::string& name,
                                 std::vector<TraceSlice> slices,
                                 Nesting nesting) {
  std::stable_sort(slices.begin(), slices.end(),
                   [](const TraceSlice& a, const TraceSlice& b) {
                     return a.begin != b.begin ? a.begin < b.begin
                                               : a.end > b.end;
                   });
  std::vector<Lane> lanes;
  for (TraceSlice& slice : slices) {
    auto lane = std::find_if(lanes.begin(), lanes.end(), [&](Lane& each) {
      return each.Fits(slice, nesting);
    });
    if (lane == lanes.end()) {
      lanes.push_back({.track = {.name = name, .slices = {}}, .open = {}});
      lane = lanes.end() - 1;
    }
    lane->open.push_back(slice.end);
    lane->track.slices.push_back(std::move(slice));
  }
  std::vector<TraceTrack> tracks;
  for (Lane& lane : lanes) tracks.push_back(std::move(lane.track));
  return tracks;
}

std::int64_t SlicesOf(const std::vector<TraceProcess>& processes) {
  std::int64_t slices = 0;
  for (const TraceProcess& process : processes)
    for (const TraceTrack& track : process.tracks)
      slices += static_cast<std::int64_t>(track.slices.size());
  return slices;
}

}  // namespace podsim
