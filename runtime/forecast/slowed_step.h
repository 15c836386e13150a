// What a step of the pod takes when faults strike in it (proto/faults.proto).
// Pure; all times are simulated.
#ifndef PODSIM_RUNTIME_FORECAST_SLOWED_STEP_H_
#define PODSIM_RUNTIME_FORECAST_SLOWED_STEP_H_

#include <span>

#include "proto/faults.pb.h"
#include "runtime/forecast/overlap_step.h"

namespace podsim {

// A host of the pod stands still as long as the one here does:
//   SLOW in "input", or without a phase
//          its batch comes so much later; that counts where it is longer than
//          the rest of the step, as in OverlapStep
//   SLOW in "compute" or "update"
//          that takes so much longer
//   SLOW in "all-reduce" or "checkpoint", DELAY
//          the other hosts wait so much longer for the all-reduce
// Other kinds end the step, or cost no time. Hosts stand still at the same
// time: the one that makes the step longest counts.
SimStep SlowedStep(const SimStep& step, std::span<const Fault> faults);

// Where the time of steps goes; the parts add up to it.
struct PodPhases {
  SimSum input;  // what they wait for it, beyond all the rest
  SimSum compute;
  SimSum reduce;  // the exposed part
  SimSum update;
  SimSum fixed;
  // No part of a step: what a host that stands still at the last checkpoint
  // makes the run longer.
  SimSum checkpoint = {};

  SimSum total() const { return input + compute + reduce + update + fixed; }
};
PodPhases PhasesOf(const SimStep& step);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_SLOWED_STEP_H_
