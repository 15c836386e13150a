// The simulated half of a trace: the same steps as the chips of the slice would
// make them. Pure.
#ifndef PODSIM_RUNTIME_TRACE_SIM_TRACKS_H_
#define PODSIM_RUNTIME_TRACE_SIM_TRACKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/forecast/drawn_step.h"
#include "runtime/trace/tracks.h"

namespace podsim {

struct SimSteps {
  std::int64_t first = 1;  // its number
  std::int64_t count = 1;
  // When it begins: nanoseconds since 1970. The simulated clock goes on from
  // there at its own pace.
  std::int64_t begin = 0;
  std::string slice;  // "v3-32"
  // Cores that are drawn, of all of the slice that do the same at the same
  // time.
  int cores = 1;
  int of_cores = 1;
};

// A process of the cores, the sums and the input, and one of the links, where
// messages are known: "sim: v3-32 cores" and "sim: v3-32 links".
std::vector<TraceProcess> SimTracks(const DrawnStep& step,
                                    const SimSteps& steps);

// Steps that are drawn of `count`, so that the whole has no more than 500,000
// slices: at least one.
std::int64_t DrawnSteps(const DrawnStep& step, std::int64_t count, int cores);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TRACE_SIM_TRACKS_H_
