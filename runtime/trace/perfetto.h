// A trace in Perfetto's format (proto/third_party/perfetto), for
// https://ui.perfetto.dev. Pure.
#ifndef PODSIM_RUNTIME_TRACE_PERFETTO_H_
#define PODSIM_RUNTIME_TRACE_PERFETTO_H_

#include <string>
#include <vector>

#include "runtime/trace/tracks.h"

namespace podsim {

// The bytes of a perfetto.protos.Trace: a track descriptor for each clock,
// below it for each process and below that for each track, all in the order
// given, and of each slice its begin and its end; names are interned.
// Timestamps are nanoseconds since 1970 and the category of an event is its
// clock, "wall" or "sim". An arrow goes by the flow's number from the slice
// that has it as flow_out to the one that has it as flow_in.
std::string PerfettoTrace(const std::vector<TraceProcess>& processes);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TRACE_PERFETTO_H_
