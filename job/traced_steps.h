// Which steps of a run are traced. Pure.
#ifndef PODSIM_JOB_TRACED_STEPS_H_
#define PODSIM_JOB_TRACED_STEPS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/job.pb.h"

namespace podsim {

// From `first` to `last`, both of them; empty if that is before the first.
struct StepRange {
  std::int64_t first = 1;
  std::int64_t last = 0;
  bool empty() const { return last < first; }
  std::int64_t size() const { return empty() ? 0 : last - first + 1; }
  bool operator==(const StepRange&) const = default;
};

// Most steps of a trace: of v3-128 its file has then some 100 MB.
inline constexpr std::int64_t kMostTracedSteps = 1000;

// The phase of a host process that has made its steps and writes its part of
// the trace, as its heartbeats name it.
inline constexpr char kWritingTrace[] = "writing its trace";

// Whether any of its steps are: for Perfetto or for XProf.
inline bool IsTraced(const JobSpec& spec) {
  return spec.has_trace() || spec.has_profile_dir();
}

// "20:25" or "20". Errors: INVALID_ARGUMENT, one line: no two steps in order,
// or more than kMostTracedSteps.
absl::StatusOr<StepRange> ParseStepRange(const std::string& text);

// Of a whole job, its file and its flags together.
// Errors: INVALID_ARGUMENT (trace_steps without trace and profile_dir, or those
// of ParseStepRange; an evaluation alone or a benchmark, which have no steps).
absl::Status CheckTraceSettings(const JobSpec& spec);

// The steps to trace of a run that begins behind step `start` and ends with
// `last`: what trace_steps says, as far as the run makes them, else its second
// to fourth, or its only one (the first step pays for the start). Empty: the
// job is not traced, or makes none of them.
// REQUIRES: trace_steps, if there are any, are a range.
StepRange TracedSteps(const JobSpec& spec, std::int64_t start,
                      std::int64_t last);

// Whether a run behind `start` to `last` makes them all. Errors:
// INVALID_ARGUMENT, one line: one of trace_steps is not among them.
absl::Status CheckTracedSteps(const JobSpec& spec, std::int64_t start,
                              std::int64_t last);

}  // namespace podsim

#endif  // PODSIM_JOB_TRACED_STEPS_H_
