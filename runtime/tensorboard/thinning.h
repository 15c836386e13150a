// Which steps TensorBoard gets. Pure.
#ifndef PODSIM_RUNTIME_TENSORBOARD_THINNING_H_
#define PODSIM_RUNTIME_TENSORBOARD_THINNING_H_

#include <cstdint>

namespace podsim {

// So many steps are taken at once, as fast as they come; beyond them one a
// second, so that a short run has each of its steps.
inline constexpr double kStepsAtOnce = 1000;
// From this step on, steps that are taken are a part of this many of the run
// apart: 100,000 steps have at most 38,300 events, and each doubling after that
// 7,000 more. Bytes of an event: see scalars.h.
inline constexpr std::int64_t kStepsInFull = 10'000;

// One thread at a time.
class StepThinning {
 public:
  // Whether a step that ended at `wall_time` (seconds) is written. Whoever asks
  // writes the last one anyway. After a restart steps may come again.
  bool Take(std::int64_t step, double wall_time);

 private:
  std::int64_t last_ = 0;  // the last one that was taken
  double looked_ = 0;      // when it was asked last
  double left_ = kStepsAtOnce;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TENSORBOARD_THINNING_H_
