// What a job takes on the real pod besides its steps: its start and its
// evaluations. Pure; all times are simulated.
#ifndef PODSIM_RUNTIME_FORECAST_EVALUATION_FORECAST_H_
#define PODSIM_RUNTIME_FORECAST_EVALUATION_FORECAST_H_

#include <vector>

#include "absl/status/statusor.h"
#include "interconnect/timing/band.h"
#include "interconnect/topology/hardware.h"
#include "interconnect/topology/slice.h"
#include "models/graph/program.h"
#include "proto/job.pb.h"

namespace podsim {

// A part of a job, and what each doubt may take away from it and add to it.
struct DoubtedSeconds {
  double seconds = 0;
  std::vector<DoubtShare> shares = {};
};

// From the start of a job to its first step: compiling, loading, connecting. A
// line in the number of chips, start_seconds and start_seconds_per_chip of the
// generation: each a doubt of its own wherever it has a range, whatever its
// grade, for the one published line is of another program.
// `generation`: the slice's.
DoubtedSeconds StartUpOf(const Slice& slice, const Generation& generation);

// All evaluations of `plan`, whose Program is `program`: the passes over the
// held-out examples, at the plan's evaluation batch, one after the other, each
// with the fixed cost of a step. Doubts are those of a step. 0 where it
// evaluates nothing. `generation`: the slice's.
// Errors: none but what SpreadAround hands on.
absl::StatusOr<DoubtedSeconds> ForecastEvaluations(
    const JobPlan& plan, const Program& program, const Slice& slice,
    const Generation& generation);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_EVALUATION_FORECAST_H_
