#include "models/optimizer/learning_rate.h"

#include "base/status.h"

namespace podsim {

double RateAt(const LearningRate& schedule, std::int64_t consumed_before_step,
              std::int64_t global_batch) {
  PODSIM_CHECK(consumed_before_step >= 0 && global_batch >= 1);
  const std::int64_t warmup = schedule.warmup_examples();
  const std::int64_t consumed = consumed_before_step + global_batch;
  if (consumed >= warmup) return schedule.peak();
  return schedule.peak() * static_cast<double>(consumed) /
         static_cast<double>(warmup);
}

}  // namespace podsim
