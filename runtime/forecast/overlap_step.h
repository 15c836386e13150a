// One training step on the real pod, put together of its parts: what overlaps
// and what waits. Pure; all times are simulated. docs/timing-model.md has the
// equations.
#ifndef PODSIM_RUNTIME_FORECAST_OVERLAP_STEP_H_
#define PODSIM_RUNTIME_FORECAST_OVERLAP_STEP_H_

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace podsim {

// The parts of a step, each as if alone.
struct StepParts {
  struct Bucket {
    std::int32_t after_segments = 0;  // ready when that many have ended
    SimTime all_reduce;
  };
  // In the middle of the pass, which waits for it.
  struct Exchange {
    std::int32_t after_segments = 0;
    SimTime all_reduce;
  };
  SimTime input;                    // on the wire from host to chip
  SimTime store;                    // from the bucket to the host
  std::vector<SimTime> segments;    // forward and backward, in order
  std::vector<Bucket> buckets;      // in the order in which they travel
  std::vector<Exchange> exchanges;  // in their order
  SimTime update;
};

struct SimStep {
  SimTime input;
  SimTime store;
  SimTime compute;
  SimTime communication;
  SimTime update;
  // The part of communication during which no core computes.
  SimTime exposed_communication;
  SimTime fixed;
  SimTime total;

  double ExamplesPerSecond(std::int64_t global_batch) const;
};

// Compute runs through but for exchanges, which begin when their segment has
// ended, however many buckets travel, and which the next waits for. Bucket k
// travels when its segment and the all-reduce of bucket k-1 have ended; the
// update runs after the last of both. The next steps' input comes meanwhile,
// from the store and over the wire at once, so that the slower of the two
// counts, and only where it is longer than all the rest.
SimStep OverlapStep(const StepParts& parts);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_OVERLAP_STEP_H_
