// pod_plan --collective: its rows, priced. Pure.
#ifndef PODSIM_RUNTIME_PLAN_PLAN_COLLECTIVE_H_
#define PODSIM_RUNTIME_PLAN_PLAN_COLLECTIVE_H_

#include <string>

#include "absl/status/statusor.h"
#include "interconnect/topology/hardware.h"
#include "proto/job.pb.h"
#include "proto/plan.pb.h"

namespace podsim {

// The whole text, its table of at most `columns`, or JSON. `job` says wrap,
// twist, ici_dtype and ici_fault. Errors: INVALID_ARGUMENT (no such slice or
// link, sizes that are none, an algorithm that does not do it),
// FAILED_PRECONDITION (cut wires leave no way).
absl::StatusOr<std::string> PlanCollective(const PlanSettings& settings,
                                           const JobSpec& job,
                                           const Hardware& hardware,
                                           int columns);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_PLAN_COLLECTIVE_H_
