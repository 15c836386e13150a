// What a planned job's forecast is compared with: the smallest slice, sound
// links, and what no all-reduce can be faster than. Pure; all of it is
// simulated.
#ifndef PODSIM_RUNTIME_FORECAST_YARDSTICKS_H_
#define PODSIM_RUNTIME_FORECAST_YARDSTICKS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/forecast/job_forecast.h"

namespace podsim {

struct Yardsticks {
  // Examples/s of a core (or chip) as a part of those at the foot of the
  // ladder; nullopt: there is no such slice.
  std::optional<LadderFoot> foot;
  // "link (0,0)-(1,0) at 0.25 of its rate", one each; none: all are sound.
  std::vector<std::string> link_faults;
  // The same step if all links were sound; where there are link faults.
  std::optional<SimTime> sound_step;
  // For the sums of all gradients: bytes through a chip's links, through the
  // middle of the slice, and hops (Bounds in timing/pricing.h); 0: one chip.
  SimTime reduce_bound;
};

// `foot`: FootOf the plan, whose error counts as none. REQUIRES: `slice` is the
// plan's, `generation` the slice's.
Yardsticks YardsticksOf(const JobPlan& plan, const Slice& slice,
                        const Generation& generation,
                        const absl::StatusOr<LadderFoot>& foot);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_YARDSTICKS_H_
