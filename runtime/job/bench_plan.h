// A benchmark of collectives as a plan: defaults, bounds, and what "all" means
// on the slice at hand. Pure.
#ifndef PODSIM_RUNTIME_JOB_BENCH_PLAN_H_
#define PODSIM_RUNTIME_JOB_BENCH_PLAN_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/bench.pb.h"
#include "proto/job.pb.h"
#include "runtime/job/planner.h"

namespace podsim {

// nccl-tests' defaults: one size of 32 MiB, 20 iterations after 1, float, sum,
// root 0, checked; ranks are hosts, the algorithm is "auto".
void FillBenchDefaults(BenchSpec& bench);

// Errors: INVALID_ARGUMENT, one line: the field, its value, what is allowed.
// REQUIRES: FillBenchDefaults was called.
absl::Status CheckBench(const BenchSpec& bench);

// The plan of a spec with a bench; its training fields are ignored.
// Errors: INVALID_ARGUMENT (as CheckBench; unknown slice; more processes than
//   hosts; a root that is no rank), RESOURCE_EXHAUSTED (buffers beyond this
//   machine's memory, with both figures).
absl::StatusOr<JobPlan> PlanBench(const JobSpec& asked,
                                  const PlanInputs& inputs);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_BENCH_PLAN_H_
