// What fills the HBM of a slice whose job is refused for want of it. Pure.
#ifndef PODSIM_RUNTIME_PLAN_REFUSED_HBM_H_
#define PODSIM_RUNTIME_PLAN_REFUSED_HBM_H_

#include <optional>

#include "absl/status/statusor.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"
#include "runtime/job/planner.h"
#include "runtime/plan/ladder.h"
#include "runtime/plan/plan_explanation.h"

namespace podsim {

// The step of `spec` on `slice` as if there were room for it, with what
// recomputation saves; with LadderBatch::kLargest that of one example per core.
// nullopt: a step has room, and something else, such as an evaluation, has not.
// Errors: those of PlanJob but for a step without room.
absl::StatusOr<std::optional<PlanExplanation>> ExplainRefused(
    const JobSpec& spec, const PlanInputs& inputs, const Slice& slice,
    LadderBatch batch);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_REFUSED_HBM_H_
