// What a plan says of checkpoints, restarts and checks.
#ifndef PODSIM_RUNTIME_JOB_PLAN_CHECKPOINTS_H_
#define PODSIM_RUNTIME_JOB_PLAN_CHECKPOINTS_H_

#include "absl/status/status.h"
#include "proto/job.pb.h"

namespace podsim {

// Fills the plan's fields from a spec that has its defaults.
// Errors: INVALID_ARGUMENT (settings of checkpoints without model_dir; an
//   evaluation without a checkpoint).
absl::Status FillCheckpoints(const JobSpec& spec, JobPlan& plan);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_PLAN_CHECKPOINTS_H_
