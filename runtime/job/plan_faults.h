// The faults of a job, in its plan. Pure.
#ifndef PODSIM_RUNTIME_JOB_PLAN_FAULTS_H_
#define PODSIM_RUNTIME_JOB_PLAN_FAULTS_H_

#include "absl/status/status.h"
#include "proto/job.pb.h"

namespace podsim {

// Fills plan.faults and faults_done, the random faults drawn. REQUIRES: the
// buckets are planned, as link faults strike the lines that their frames take.
// Errors: those of DrawFaults, which IsOfFaultPlan knows again.
absl::Status FillFaults(const JobSpec& spec, JobPlan& plan);

// Whether the fault plan is at fault: whoever read it from a file can name
// that.
bool IsOfFaultPlan(const absl::Status& status);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_PLAN_FAULTS_H_
