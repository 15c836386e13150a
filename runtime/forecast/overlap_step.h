// One training step on the real pod, put together of its parts: what overlaps
// and what waits. Pure; all times are simulated. docs/timing-model.md has the
// equations.
#ifndef PODSIM_RUNTIME_FORECAST_OVERLAP_STEP_H_
#define PODSIM_RUNTIME_FORECAST_OVERLAP_STEP_H_

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "interconnect/collectives/algorithms.h"
#include "runtime/forecast/timeline.h"

namespace podsim {

// The parts of a step, each as if alone.
struct StepParts {
  // Something that cores of the slice do together between their kernels.
  struct Sum {
    std::int32_t ready = -1;  // begins behind this kernel; -1: at once
    // This kernel waits for it; kernels.size(): the step's end does.
    std::int32_t needed = 0;
    SimTime time;
    // No kernel runs beside it: the cores wait.
    bool holds_cores = false;
    // What travels; 0 elements: the cores of a chip alone have it in common.
    Collective collective = Collective::kAllReduce;
    std::int64_t elements = 0;
    int element_bytes = 0;
    int group = 0;  // of so many neighbouring replicas each; 0: of all
  };
  SimTime input;    // on the wire from host to chip
  SimTime store;    // from the bucket to the host
  SimTime earlier;  // passes before the kernels, with what they sum
  std::vector<SimTime> kernels;  // in order
  std::int32_t update = 0;       // the first kernel that is none of the pass's
  std::vector<Sum> sums;         // as they travel: by `ready`
  SimTime fixed;                 // of every step
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

// A part of a step and when it runs, from the step's beginning. DrawStep makes
// a SimulatedSpan (base/trace/span.h) of it; every row of a ladder is priced by
// these, which have no names to build.
struct SimSpan {
  enum class Kind : std::uint8_t { kEarlier, kKernel, kSum };
  Kind kind = Kind::kKernel;
  std::int32_t index = 0;  // in `kernels` or `sums`
  SimResource resource = SimResource::kCores;
  TimelineSpan time;
};

// Kernels run in order, sums in order: each begins when the kernel that makes
// what it sums has ended and the links are free, and the kernel that needs it
// waits. REQUIRES: ready < needed, and neither is beyond the kernels.
std::vector<SimSpan> TimelineOf(const StepParts& parts);

// The same put together. The next steps' input comes meanwhile, from the store
// and over the wire at once, so that the slower of the two counts, and only
// where it is longer than all the rest; the fixed cost comes on top.
SimStep OverlapStep(const StepParts& parts);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_OVERLAP_STEP_H_
