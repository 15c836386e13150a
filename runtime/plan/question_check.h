// pod_plan answers two questions, and half of its flags are for each. Pure.
#ifndef PODSIM_RUNTIME_PLAN_QUESTION_CHECK_H_
#define PODSIM_RUNTIME_PLAN_QUESTION_CHECK_H_

#include "absl/status/status.h"
#include "proto/job.pb.h"
#include "proto/plan.pb.h"
#include "runtime/plan/ladder.h"

namespace podsim {

// That no flag is given that is for a training job beside --collective, or for
// a collective without it. `batch`: kLargest is a flag of a job too.
// Errors: INVALID_ARGUMENT, one line.
absl::Status CheckQuestion(const PlanSettings& settings, const JobSpec& job,
                           LadderBatch batch);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_QUESTION_CHECK_H_
