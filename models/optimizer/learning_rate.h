// Learning-rate schedules: functions of the examples consumed, so that they
// survive a change of slice.
#ifndef PODSIM_MODELS_OPTIMIZER_LEARNING_RATE_H_
#define PODSIM_MODELS_OPTIMIZER_LEARNING_RATE_H_

#include <cstdint>

#include "proto/job.pb.h"

namespace podsim {

// The rate of the step that follows `consumed_before_step` examples with
// batches of `global_batch`: peak * min(1, k / warmup_examples), where k counts
// the examples consumed once this step is done. So the first step of a warm-up
// already moves, and the step that completes it runs at the peak.
// REQUIRES: consumed_before_step >= 0, global_batch >= 1.
double RateAt(const LearningRate& schedule, std::int64_t consumed_before_step,
              std::int64_t global_batch);

}  // namespace podsim

#endif  // PODSIM_MODELS_OPTIMIZER_LEARNING_RATE_H_
