#include "runtime/launch/job_trace.h"

#include "base/status.h"
#include "job/traced_steps.h"
#include "runtime/forecast/drawn_step.h"
#include "runtime/trace/trace_file.h"

namespace podsim {

absl::Status CheckTrace(const JobSpec& spec, bool external_hosts) {
  PODSIM_RETURN_IF_ERROR(CheckTraceSettings(spec));
  if (!spec.has_trace() || !external_hosts) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "trace gathers what host processes of this machine have kept, and "
      "--external_hosts run elsewhere: leave one of the two out");
}

absl::StatusOr<std::vector<TextRow>> WriteJobTrace(
    const PlannedJob& job, const std::vector<std::string>& parts) {
  if (!job.spec.has_trace()) return std::vector<TextRow>();
  PODSIM_ASSIGN_OR_RETURN(const std::vector<TracePart> read, ReadParts(parts));
  const Trace trace =
      MakeTrace(read, DrawStep(job.plan, job.slice), job.plan, job.slice);
  PODSIM_RETURN_IF_ERROR(WriteTraceFile(job.spec.trace(), trace));
  return TraceRows(job.spec.trace(), trace);
}

}  // namespace podsim
