// The trace of a training job, from its host processes' parts.
#ifndef PODSIM_RUNTIME_LAUNCH_JOB_TRACE_H_
#define PODSIM_RUNTIME_LAUNCH_JOB_TRACE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/text_rows.h"
#include "proto/job.pb.h"
#include "runtime/pod/job_runner.h"
#include "runtime/report/metrics_lines.h"
#include "runtime/trace/coordinator_tracks.h"

namespace podsim {

struct WrittenTrace {
  std::vector<TextRow> rows;          // what is to be said of it
  std::optional<TraceRecord> record;  // what is to be kept
};

// Writes what --trace and --profile_dir name; nothing for a job without them.
// `parts`: of Outcome. `moments`: of the job's events. Errors: those of
// WriteTraceFile and WriteProfiles.
absl::StatusOr<WrittenTrace> WriteJobTrace(
    const PlannedJob& job, const std::vector<std::string>& parts,
    const std::vector<CoordinatorMoment>& moments);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LAUNCH_JOB_TRACE_H_
