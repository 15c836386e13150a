// What this machine runs in the place of a job that is too large for it, in
// flags to type. Pure.
#ifndef PODSIM_RUNTIME_JOB_SMALLER_JOB_H_
#define PODSIM_RUNTIME_JOB_SMALLER_JOB_H_

#include <cstdint>
#include <string>

#include "proto/job.pb.h"

namespace podsim {

// "--batch_per_core=12", and "--eval_batch_size=96" where the job says a larger
// one: batches with which a run takes `excess` bytes less, if an example more
// of each core takes `example_bytes` in all. Empty: not one example fits.
// REQUIRES: a plan of FillMemory (fit.h), excess > 0.
std::string FittingBatch(const JobPlan& plan, std::int64_t example_bytes,
                         std::int64_t excess);

// "--train_steps=700": the steps of the plan that take one of `days` days, to
// two digits, rounded down. Empty: a step takes longer. REQUIRES: days > 1,
// which all steps take.
std::string StepsOfADay(const JobPlan& plan, double days);

// "pod_launch --topology=v3-8 --model=...": a command that trains a small size
// of a model for plans. REQUIRES: IsPlanned(model) (models/zoo/zoo.h).
std::string SmallSize(const std::string& model);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_SMALLER_JOB_H_
