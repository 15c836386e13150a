// When a job saves and checks, where it did not say.
#ifndef PODSIM_RUNTIME_JOB_PLAN_CHECKPOINTS_H_
#define PODSIM_RUNTIME_JOB_PLAN_CHECKPOINTS_H_

#include "absl/status/status.h"
#include "proto/job.pb.h"
#include "runtime/job/resolved_job.h"

namespace podsim {

// Fills in `job`, whose spec has its defaults; notes go to `plan`.
// Errors: INVALID_ARGUMENT (settings of checkpoints without model_dir; an
//   evaluation without a checkpoint).
absl::Status FillCheckpoints(ResolvedJob& job, JobPlan& plan);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_PLAN_CHECKPOINTS_H_
