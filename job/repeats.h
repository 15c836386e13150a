// How often a run does what it does every so many steps. Pure.
#ifndef PODSIM_JOB_REPEATS_H_
#define PODSIM_JOB_REPEATS_H_

#include <cstdint>

namespace podsim {

// Every `every` of `steps` steps, and once more at their end where that is none
// of those; `every` 0: at the end alone. REQUIRES: both are 0 or more.
constexpr std::int64_t RepeatsIn(std::int64_t steps, std::int64_t every) {
  if (every == 0) return 1;
  return steps / every + (steps % every == 0 ? 0 : 1);
}

}  // namespace podsim

#endif  // PODSIM_JOB_REPEATS_H_
