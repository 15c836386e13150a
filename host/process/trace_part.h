// A host process's part of a trace, as a file for pod_launch.
#ifndef PODSIM_HOST_PROCESS_TRACE_PART_H_
#define PODSIM_HOST_PROCESS_TRACE_PART_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "base/trace/clock_offset.h"
#include "base/trace/tracer.h"
#include "proto/job.pb.h"
#include "proto/trace.pb.h"

namespace podsim {

// Whose part it is.
struct TracePlace {
  int process = 0;
  std::uint32_t generation = 1;
};

// `offset`: the coordinator's clock against that of the spans. Pure.
TracePart TracePartOf(const JobPlan& plan, const TracePlace& place,
                      const ClockOffset& offset, const TracedSpans& traced);

// Under another name until it is whole: a process that is killed meanwhile
// leaves no part that cannot be read. `on_progress` is called after each piece;
// it may be empty.
// Errors: those of OpenOutput; UNAVAILABLE (the write failed).
absl::Status WriteTracePart(const std::string& path, const TracePart& part,
                            const std::function<void()>& on_progress = {});

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_TRACE_PART_H_
