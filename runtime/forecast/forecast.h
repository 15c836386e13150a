// How long one training step would take on the real pod: input, compute and
// communication with their overlap. Pure; nothing is run. All times are
// simulated; docs/timing-model.md has the equations.
//
//   PODSIM_ASSIGN_OR_RETURN(SimStep step, ForecastStep(program, slice, 128));
//   double rate = step.ExamplesPerSecond(slice.replicas * 128);
#ifndef PODSIM_RUNTIME_FORECAST_FORECAST_H_
#define PODSIM_RUNTIME_FORECAST_FORECAST_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "base/units.h"
#include "interconnect/timing/pricing.h"
#include "interconnect/topology/slice.h"
#include "models/graph/program.h"

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
  SimTime input;
  std::vector<SimTime> segments;    // forward and backward, in order
  std::vector<Bucket> buckets;      // in the order in which they travel
  std::vector<Exchange> exchanges;  // in their order
  SimTime update;
};

struct SimStep {
  SimTime input;
  SimTime compute;
  SimTime communication;
  SimTime update;
  // The part of communication during which no core computes.
  SimTime exposed_communication;
  SimTime total;

  double ExamplesPerSecond(std::int64_t global_batch) const;
};

// Compute runs through but for exchanges, which begin when their segment has
// ended, however many buckets travel, and which the next waits for. Bucket k
// travels when its segment and the all-reduce of bucket k-1 have ended; the
// update runs after the last of both. The next step's input comes meanwhile, so
// that it counts only where it is longer than all the rest.
SimStep OverlapStep(const StepParts& parts);

struct ForecastOptions {
  int gradient_bytes = 4;  // of an element on the links
};

// One step of `program` with `batch_per_core` examples on each core of `slice`.
// A chip's cores share its wire to the host; that they sum their gradients
// before the ring starts is not priced.
// Errors: INVALID_ARGUMENT (batch_per_core < 1; a program without training).
absl::StatusOr<StepParts> PriceStep(const Program& program, const Slice& slice,
                                    std::int64_t batch_per_core,
                                    const ForecastOptions& options = {});
absl::StatusOr<SimStep> ForecastStep(const Program& program, const Slice& slice,
                                     std::int64_t batch_per_core,
                                     const ForecastOptions& options = {});

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_FORECAST_H_
