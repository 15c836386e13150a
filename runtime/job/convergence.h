// Whether a schedule is one that a recipe was measured with.
#ifndef PODSIM_RUNTIME_JOB_CONVERGENCE_H_
#define PODSIM_RUNTIME_JOB_CONVERGENCE_H_

#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"
#include "runtime/job/recipe.h"

namespace podsim {

// Adds a warning to `plan` for what its steps and its learning rate, as they
// are after all scaling, have beyond the recipe's measurements.
// REQUIRES: the plan's schedule is filled.
void WarnOfConvergence(const Recipe& recipe, const Slice& slice, JobPlan& plan);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_CONVERGENCE_H_
