// The coordinator in a trace: when it had heard of each step from all hosts,
// and what else it told of meanwhile. Pure.
#ifndef PODSIM_RUNTIME_TRACE_COORDINATOR_TRACKS_H_
#define PODSIM_RUNTIME_TRACE_COORDINATOR_TRACKS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proto/event.pb.h"
#include "runtime/trace/tracks.h"

namespace podsim {

struct CoordinatorMoment {
  bool is_step = false;
  std::int64_t step = 0;
  // Nanoseconds since 1970, by the coordinator's clock.
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::string name;
};

// Nothing of events that are of no moment in training: of joining and forming.
std::optional<CoordinatorMoment> MomentOf(const JobEvent& event);

// "wall: coordinator", with the reports of steps `first` to `last` and what
// else lies, in part at least, between `begin` and `end`. No track: nothing.
TraceProcess CoordinatorTracks(const std::vector<CoordinatorMoment>& moments,
                               std::int64_t first, std::int64_t last,
                               std::int64_t begin, std::int64_t end);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TRACE_COORDINATOR_TRACKS_H_
