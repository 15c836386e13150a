// How a planned job's step is priced. Pure.
#ifndef PODSIM_RUNTIME_FORECAST_JOB_OPTIONS_H_
#define PODSIM_RUNTIME_FORECAST_JOB_OPTIONS_H_

#include <cstdint>
#include <optional>

#include "interconnect/collectives/chip_plans.h"
#include "proto/job.pb.h"
#include "runtime/forecast/forecast.h"

namespace podsim {

// Of the plan's step with another batch; in one pass where its microbatches do
// not divide that. Borrows of `plan`.
StepOptions StepOptionsOf(const JobPlan& plan, std::int64_t batch_per_core);

// Of its sums; unset: the one that takes the least time.
std::optional<ChipAlgorithm> AskedAlgorithm(const JobSpec& spec);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_JOB_OPTIONS_H_
