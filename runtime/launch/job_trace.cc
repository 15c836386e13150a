#include "runtime/launch/job_trace.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "job/traced_steps.h"
#include "runtime/forecast/drawn_step.h"
#include "runtime/trace/trace_file.h"

namespace podsim {

absl::Status CheckTrace(const JobSpec& spec, bool external_hosts) {
  PODSIM_RETURN_IF_ERROR(CheckTraceSettings(spec));
  if (!IsTraced(spec) || !external_hosts) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--trace and --profile_dir gather what host processes of this machine "
      "have kept, and --external_hosts run elsewhere: leave one of the two "
      "out");
}

absl::StatusOr<std::vector<TextRow>> WriteJobTrace(
    const PlannedJob& job, const std::vector<std::string>& parts,
    const std::vector<CoordinatorMoment>& moments) {
  const JobSpec& spec = job.spec;
  if (!IsTraced(spec)) return std::vector<TextRow>();
  const Trace trace =
      MakeTrace(ReadParts(parts), moments, DrawStep(job.plan, job.slice),
                job.plan, job.slice);
  std::vector<TextRow> rows;
  if (spec.has_trace()) {
    PODSIM_RETURN_IF_ERROR(WriteTraceFile(spec.trace(), trace));
    rows = TraceRows(
        absl::StrCat(spec.trace(), " (open it in https://ui.perfetto.dev)"),
        trace);
  }
  if (spec.has_profile_dir()) {
    PODSIM_RETURN_IF_ERROR(WriteProfiles(spec.profile_dir(), trace));
    if (!spec.has_trace()) rows = TraceRows(spec.profile_dir(), trace);
    rows.push_back(
        {"profile", absl::StrCat("tensorboard --logdir ", spec.profile_dir(),
                                 ", on its page Profile")});
  }
  return rows;
}

}  // namespace podsim
