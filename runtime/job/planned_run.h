// Whether this machine may run what is for plans: a model that comes in sizes
// (IsPlanned, models/zoo/zoo.h) takes a pod, but a small one or a few steps of
// it do not.
#ifndef PODSIM_RUNTIME_JOB_PLANNED_RUN_H_
#define PODSIM_RUNTIME_JOB_PLANNED_RUN_H_

#include <cstdint>

#include "absl/status/status.h"
#include "models/graph/program.h"
#include "proto/job.pb.h"

namespace podsim {

// Floating-point operations of the products of a training pass, two for each
// multiplication and addition, of `rows` examples of one core.
double ProductFlops(const Program& program, std::int64_t rows);

// OK for models that tests train, for a run that only evaluates, and where the
// products of all steps take `cpus` CPUs a day at most. `cpus`: of this
// machine; 0: hosts run elsewhere, of which nothing is known. REQUIRES: a plan
// of PlanJob. Errors: FAILED_PRECONDITION (what the run would take, and what to
// do).
absl::Status AdmitPlannedRun(const JobPlan& plan, int cpus);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_PLANNED_RUN_H_
