// What a job takes on the real pod besides its steps: its start and its
// evaluations. Pure; all times are simulated.
#ifndef PODSIM_RUNTIME_FORECAST_EVALUATION_FORECAST_H_
#define PODSIM_RUNTIME_FORECAST_EVALUATION_FORECAST_H_

#include "base/units.h"
#include "interconnect/topology/slice.h"
#include "models/graph/program.h"
#include "proto/job.pb.h"

namespace podsim {

// From the start of a job to its first step: compiling, loading, connecting. A
// line in the number of chips (start_seconds of the generation).
SimTime StartUpOf(const Slice& slice);

// All evaluations of `plan`, whose Program is `program`, in seconds: the passes
// over the held-out examples, at the plan's evaluation batch, one after the
// other, each with the fixed cost of a step. 0 where it evaluates nothing.
double ForecastEvaluations(const JobPlan& plan, const Program& program,
                           const Slice& slice);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_EVALUATION_FORECAST_H_
