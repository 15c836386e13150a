// A training job on slice after slice, as it grows: each planned and forecast.
// Pure but for what the data set's files say. All times are simulated.
#ifndef PODSIM_RUNTIME_PLAN_LADDER_H_
#define PODSIM_RUNTIME_PLAN_LADDER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"
#include "runtime/forecast/job_forecast.h"
#include "runtime/job/planner.h"

namespace podsim {

struct LadderRow {
  Slice slice;
  absl::Status status;  // why there is no plan; then the rest is empty
  JobPlan plan;
  JobForecast forecast;
  // Examples/s of a replica against those on the smallest slice of the same
  // generation that has a plan.
  double efficiency = 0;
};

struct Ladder {
  std::vector<LadderRow> rows;
  bool strong = false;  // the same global batch everywhere
  // The job has steps and rate of its own and no reference: they are the same
  // on every slice, as in a run there.
  bool is_as_typed = false;
};

// `spec` but for its topology on each of `slices`; with the same batch per core
// unless it has a global batch. Each row is the plan that a run there has.
// Errors: INVALID_ARGUMENT (no slice has a plan: the first one's reason).
absl::StatusOr<Ladder> PlanLadder(const JobSpec& spec, const PlanInputs& inputs,
                                  const std::vector<Slice>& slices);

// A global batch that the cores of none of several slices divide. Errors:
// INVALID_ARGUMENT: the first slice, and the multiples that fit all.
absl::Status CheckBatchOnSome(const JobSpec& spec,
                              const std::vector<Slice>& slices);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_LADDER_H_
