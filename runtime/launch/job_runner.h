// Runs a planned job to its end: files, processes, reports.
#ifndef PODSIM_RUNTIME_LAUNCH_JOB_RUNNER_H_
#define PODSIM_RUNTIME_LAUNCH_JOB_RUNNER_H_

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"
#include "runtime/launch/flags.h"
#include "runtime/launch/launch.h"
#include "runtime/report/console.h"

namespace podsim {

struct PlannedJob {
  JobSpec spec;  // what the user asked, merged
  JobPlan plan;  // for this machine's ISA level
  Slice slice;
};

// The exit code of pod_launch. Errors: what is refused before any process
// starts (a metrics file or log directory that cannot be written, programs that
// are missing, no token with external hosts).
absl::StatusOr<int> RunJob(const LaunchContext& context,
                           const LaunchOptions& options, const PlannedJob& job,
                           Console& console, const Clock& clock);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LAUNCH_JOB_RUNNER_H_
