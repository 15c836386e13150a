// What the planner may know of the world, gathered: the data set is opened,
// this machine measured.
#ifndef PODSIM_RUNTIME_COORDINATOR_PLAN_INPUTS_H_
#define PODSIM_RUNTIME_COORDINATOR_PLAN_INPUTS_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "proto/job.pb.h"
#include "runtime/job/planner.h"

namespace podsim {

// `one_machine`: all processes run here, so that its CPUs are shared and, for a
// benchmark, its memory is the limit; otherwise nothing is said of either.
// Errors: those of ApplyRecipe, OpenDataset, BestIsa and MachineMemoryBytes.
absl::StatusOr<PlanInputs> GatherPlanInputs(const JobSpec& spec,
                                            bool one_machine);

// PlanJob with everything but the ISA level fixed. `draft`, the plan for
// `inputs` as they are, is not made again: most pods have its level.
std::function<absl::StatusOr<JobPlan>(const std::string& isa)> PlanMakerFor(
    JobSpec spec, PlanInputs inputs, JobPlan draft);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_PLAN_INPUTS_H_
