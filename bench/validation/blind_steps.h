// Steps that were forecast before anybody looked at what was published of them.
#ifndef PODSIM_BENCH_VALIDATION_BLIND_STEPS_H_
#define PODSIM_BENCH_VALIDATION_BLIND_STEPS_H_

#include <vector>

#include "bench/validation/published_steps.h"

namespace podsim::validation {

// A forecast as it was written down, in ms.
struct FixedForecast {
  double sim = 0;
  double low = 0;
  double high = 0;
};

struct BlindStep {
  PublishedStep step;
  FixedForecast
      fixed;  // written in a change of its own, before `step`'s figure
};

// Those by which the forecast is judged; which these are was fixed as well.
// First kTimedBlindSteps whose steps logs time, then whole runs.
inline constexpr int kTimedBlindSteps = 5;
std::vector<BlindStep> ScoredBlindSteps();
// Those whose figure holds what no step has (decoding of a test set, the turns
// of the host), or whose program is another one than what is planned.
std::vector<BlindStep> OtherBlindSteps();

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_BLIND_STEPS_H_
