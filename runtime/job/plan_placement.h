// Where a job's hosts run: processes, transport, time limits.
#ifndef PODSIM_RUNTIME_JOB_PLAN_PLACEMENT_H_
#define PODSIM_RUNTIME_JOB_PLAN_PLACEMENT_H_

#include "absl/status/status.h"
#include "proto/job.pb.h"
#include "runtime/job/planner.h"
#include "runtime/job/resolved_job.h"

namespace podsim {

// Of the process that has most of `hosts`. REQUIRES: hosts >= 1.
int MostHostsOfProcess(const JobSpec& spec, int hosts);

// Decides the processes of `job` and fills what of `plan` follows, with notes
// on what a reader should know. Errors: INVALID_ARGUMENT (more processes than
// hosts).
absl::Status FillPlacement(const PlanInputs& inputs, ResolvedJob& job,
                           JobPlan& plan);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_PLAN_PLACEMENT_H_
