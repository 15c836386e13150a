// Learning-rate schedules: functions of the examples consumed, so that they
// survive a change of slice.
//
// Over W examples of warm-up the rate rises linearly to the peak: the step that
// brings the examples to k runs at peak * min(1, k / W), so that the first one
// already moves and the one that completes the warm-up runs at the peak. With a
// part i of the peak to begin with, the step that begins after b examples runs
// at peak * (i + (1 - i) * b / W) instead: the first one at i, the one after
// the warm-up at the peak [optax: warmup_cosine_decay_schedule]. Then,
// with p = (b - W) / (E - W) for a step that begins after b examples of the
// run's E, and e the end as a part of the peak:
//   constant    peak
//   linear      peak * (e + (1 - e) * (1 - p))
//   cosine      peak * (e + (1 - e) * (1 + cos(pi p)) / 2)
//   polynomial  peak * (e + (1 - e) * (1 - p)^power)
//   step        peak * factor for each of the places that b has reached
// As p is that of the step's begin, no step is wasted on a rate of 0. [optax
// 0.2, schedules/_schedule.py: cosine_decay_schedule, polynomial_schedule,
// piecewise_constant_schedule]
#ifndef PODSIM_MODELS_OPTIMIZER_LEARNING_RATE_H_
#define PODSIM_MODELS_OPTIMIZER_LEARNING_RATE_H_

#include <cstdint>

#include "proto/job.pb.h"

namespace podsim {

// The rate of the step that follows `consumed_before_step` examples with
// batches of `global_batch`. The same bits on every machine. A schedule of
// another build, whose name is unknown here, holds the peak.
// REQUIRES: consumed_before_step >= 0, global_batch >= 1.
double RateAt(const LearningRate& schedule, std::int64_t consumed_before_step,
              std::int64_t global_batch);

}  // namespace podsim

#endif  // PODSIM_MODELS_OPTIMIZER_LEARNING_RATE_H_
