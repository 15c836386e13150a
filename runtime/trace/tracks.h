// A trace as people see it: processes with tracks, tracks with slices. What
// writers of formats read. Plain data; pure.
#ifndef PODSIM_RUNTIME_TRACE_TRACKS_H_
#define PODSIM_RUNTIME_TRACE_TRACKS_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace podsim {

struct TraceArgument {
  std::string name;
  std::variant<std::int64_t, std::string> value;
};

struct TraceSlice {
  // Nanoseconds since 1970, by the coordinator's clock.
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::string name;
  std::vector<TraceArgument> arguments;
  // An arrow begins, or ends, at this slice; 0: none.
  std::uint64_t flow_out = 0;
  std::uint64_t flow_in = 0;
};

// Its slices are disjoint or lie in each other, and stand in the order in which
// they begin, the longer first.
struct TraceTrack {
  std::string name;
  std::vector<TraceSlice> slices;
};

enum class TraceClock : std::uint8_t { kWall, kSim };

struct TraceProcess {
  TraceClock clock = TraceClock::kWall;
  std::string name;
  std::vector<TraceTrack> tracks;
};

enum class Nesting : std::uint8_t {
  kNested,    // a slice may lie in another one
  kDisjoint,  // it may not: what overlaps has nothing to do with each other
};

// As many tracks of that name as it takes, each slice on the first one that has
// room for it. No slice: no track.
std::vector<TraceTrack> InTracks(const std::string& name,
                                 std::vector<TraceSlice> slices,
                                 Nesting nesting);

// Over all tracks.
std::int64_t SlicesOf(const std::vector<TraceProcess>& processes);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TRACE_TRACKS_H_
