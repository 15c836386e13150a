#include "runtime/launch/job_trace.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "job/traced_steps.h"
#include "runtime/forecast/drawn_step.h"
#include "runtime/trace/sim_step_part.h"
#include "runtime/trace/trace_file.h"

namespace podsim {

namespace {

TraceRecord RecordOf(const JobSpec& spec, const TraceParts& read,
                     const absl::StatusOr<DrawnStep>& drawn,
                     const Trace& trace) {
  TraceRecord record = {.trace = spec.trace(),
                        .profile_dir = spec.profile_dir(),
                        .first_step = trace.first_step,
                        .last_step = trace.last_step,
                        .spans = SlicesOf(trace.processes)};
  for (const TracePart& part : read.parts)
    record.clocks.push_back({.process = part.process(),
                             .first_host = part.first_host(),
                             .hosts = part.hosts(),
                             .offset_ns = part.offset_ns(),
                             .uncertainty_ns = part.uncertainty_ns(),
                             .round_trips = part.round_trips()});
  record.parts = read.parts;
  if (drawn.ok()) record.sim = ToProto(*drawn);
  return record;
}

}  // namespace

absl::StatusOr<WrittenTrace> WriteJobTrace(
    const PlannedJob& job, const std::vector<std::string>& parts,
    const std::vector<CoordinatorMoment>& moments) {
  const JobSpec& spec = job.spec;
  if (!IsTraced(spec)) return WrittenTrace();
  const TraceParts read = ReadParts(parts);
  const absl::StatusOr<DrawnStep> drawn = DrawStep(job.plan, job.slice);
  const Trace trace = MakeTrace(read, moments, drawn, job.plan, job.slice);
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
  return WrittenTrace{std::move(rows), RecordOf(spec, read, drawn, trace)};
}

}  // namespace podsim
