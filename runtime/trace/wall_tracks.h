// The wall's half of a trace: what the hosts did, on the coordinator's clock.
// Pure.
#ifndef PODSIM_RUNTIME_TRACE_WALL_TRACKS_H_
#define PODSIM_RUNTIME_TRACE_WALL_TRACKS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "proto/trace.pb.h"
#include "runtime/trace/tracks.h"

namespace podsim {

// A process per host, in their order: "wall: host 2", with a track of what its
// training thread did, one of its parts of checkpoints that are written
// meanwhile, one per core, one for its collectives, and one for each host that
// it sends to or receives from. What a host process does for several hosts at
// once, each of them has; what runs for several cores as one, each core has.
std::vector<TraceProcess> WallTracks(const std::vector<TracePart>& parts);

// The steps that any part has spans of.
std::set<std::int64_t> StepsOf(const std::vector<TracePart>& parts);

// When the first of them began, on the coordinator's clock. None: no span.
std::optional<std::int64_t> FirstMomentOf(const std::vector<TracePart>& parts);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TRACE_WALL_TRACKS_H_
