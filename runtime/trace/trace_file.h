// One trace of a run: the parts of its host processes and the simulated steps
// together in a file.
//
//   const TraceParts parts = ReadParts(files);
//   const Trace trace =
//       MakeTrace(parts, moments, DrawStep(plan, slice), plan, slice);
//   PODSIM_RETURN_IF_ERROR(WriteTraceFile(path, trace));
//   console.Line(FormatPlanRows(TraceRows(path, trace)));
#ifndef PODSIM_RUNTIME_TRACE_TRACE_FILE_H_
#define PODSIM_RUNTIME_TRACE_TRACE_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/text_rows.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"
#include "proto/trace.pb.h"
#include "runtime/forecast/drawn_step.h"
#include "runtime/trace/coordinator_tracks.h"
#include "runtime/trace/tracks.h"

namespace podsim {

struct Trace {
  std::vector<TraceProcess> processes;
  std::int64_t first_step = 0;  // 0: no step was traced
  std::int64_t last_step = 0;
  std::int64_t begin = 0;  // of the first; nanoseconds since 1970
  // For people, a line each: how far the clocks of host processes are off, what
  // is missing.
  std::vector<std::string> clocks;
  std::vector<std::string> notes;
};

struct TraceParts {
  std::vector<TracePart> parts;
  std::vector<std::string> unreadable;  // names of files, without folders
};

// A file that is not there is left out: its process made no traced step, or
// ended before it could write. One that is no part, or was cut short, is passed
// over: what the others have is worth a trace.
TraceParts ReadParts(const std::vector<std::string>& files);

// `moments`: the coordinator's. `drawn`: the plan's step; its error is noted,
// and there are wall tracks alone. Pure. REQUIRES: `slice` is the plan's.
Trace MakeTrace(const TraceParts& read,
                const std::vector<CoordinatorMoment>& moments,
                const absl::StatusOr<DrawnStep>& drawn, const JobPlan& plan,
                const Slice& slice);

// In Perfetto's format. Errors: those of OpenOutput; UNAVAILABLE (the write
// failed).
absl::Status WriteTraceFile(const std::string& path, const Trace& trace);

// In XProf's, where its page looks: <dir>/plugins/profile/<time>_wall/ with
// host0.xplane.pb and others, and <time>_sim/; <time> is that of the first
// traced step (UTC). If another run has that name, <time>_2_wall/ and so on.
// Nothing where no step was traced.
// Errors: those of OpenOutput; UNAVAILABLE (the write failed), or as of mkdir.
absl::Status WriteProfiles(const std::string& dir, const Trace& trace);

// `place`: what the rows are of.
// "trace          a.pftrace: steps 20 to 25 of 4 hosts, 12,345 spans ...".
std::vector<TextRow> TraceRows(const std::string& place, const Trace& trace);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TRACE_TRACE_FILE_H_
