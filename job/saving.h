// Whether a job writes checkpoints, and whether it can end early. Pure.
#ifndef PODSIM_JOB_SAVING_H_
#define PODSIM_JOB_SAVING_H_

#include "proto/job.pb.h"

namespace podsim {

// To its model_dir. An evaluation only reads there, perhaps beside a job that
// trains.
inline bool Saves(const JobPlan& plan) {
  return !plan.spec().model_dir().empty() &&
         plan.spec().mode() != words::Mode::eval;
}

// Whether the job is made of steps that all hosts make together: told to end,
// it does so after one of them. An evaluation and a benchmark have none.
inline bool MakesSteps(const JobPlan& plan) {
  return !plan.spec().has_bench() && plan.spec().mode() != words::Mode::eval;
}

}  // namespace podsim

#endif  // PODSIM_JOB_SAVING_H_
