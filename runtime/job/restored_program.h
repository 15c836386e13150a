// The Program of a plan that came without it, as events and metrics files have
// plans.
#ifndef PODSIM_RUNTIME_JOB_RESTORED_PROGRAM_H_
#define PODSIM_RUNTIME_JOB_RESTORED_PROGRAM_H_

#include "absl/status/status.h"
#include "proto/job.pb.h"

namespace podsim {

// Compiles the plan's model once more, and puts the Program into the plan if it
// is the one that the plan was hashed with. Pure.
// Errors: FAILED_PRECONDITION, one line: a model of a file, which a plan does
//   not hold; another version of podsim compiled it.
absl::Status RestoreProgram(JobPlan& plan);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_RESTORED_PROGRAM_H_
