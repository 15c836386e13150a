#include "runtime/launch/job_trace.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "job/traced_steps.h"
#include "runtime/forecast/drawn_step.h"
#include "runtime/trace/sim_step_part.h"
#include "runtime/trace/trace_file.h"

namespace podsim {

namespace {

// Of a trace that is larger its file alone has the spans, and so of the
// simulated step: lines of a metrics file are read whole.
constexpr std::size_t kMostKeptBytes = 8 << 20;

// All that were read; none where they are too much, so that no host is missing.
std::vector<TracePart> KeptParts(const TraceParts& read) {
  std::size_t bytes = 0;
  for (const TracePart& part : read.parts) bytes += part.ByteSizeLong();
  return bytes <= kMostKeptBytes ? read.parts : std::vector<TracePart>();
}

std::optional<SimStepPart> KeptSim(const absl::StatusOr<DrawnStep>& drawn) {
  if (!drawn.ok()) return std::nullopt;
  SimStepPart sim = ToProto(*drawn);
  if (sim.ByteSizeLong() > kMostKeptBytes) return std::nullopt;
  return sim;
}

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
  record.parts = KeptParts(read);
  record.sim = KeptSim(drawn);
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
