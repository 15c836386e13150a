#include "runtime/tensorboard/thinning.h"

#include <algorithm>

namespace podsim {

bool StepThinning::Take(std::int64_t step, double wall_time) {
  if (looked_ > 0)
    left_ = std::min(kStepsAtOnce, left_ + std::max(0.0, wall_time - looked_));
  looked_ = std::max(looked_, wall_time);
  const std::int64_t apart = std::max<std::int64_t>(1, last_ / kStepsInFull);
  const bool is_next = step < last_ || step - last_ >= apart;
  if (!is_next || left_ < 1) return false;
  left_ -= 1;
  last_ = step;
  return true;
}

}  // namespace podsim
