// What a job trains, in the words of every report.
#ifndef PODSIM_RUNTIME_JOB_MODEL_TEXT_H_
#define PODSIM_RUNTIME_JOB_MODEL_TEXT_H_

#include <string>

#include "proto/job.pb.h"

namespace podsim {

// The model with its widths, from features to classes, and its data set: "mlp
// 64-128-10 on digits"; one that comes in sizes with the numbers that the job
// says: "resnet50 on synthetic", "gpt2_small layers=4 on synthetic". Pure.
std::string ModelText(const PlanBits& bits);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_MODEL_TEXT_H_
