#include "runtime/forecast/slowed_step.h"

#include <algorithm>
#include <map>

namespace podsim {
namespace {

SimTime WithoutInput(const SimStep& step) {
  return step.compute + step.exposed_communication + step.update;
}

void DelayInput(SimTime by, SimStep& step) {
  step.input += by;
  if (step.store > SimTime()) step.store += by;
}

void DelayAllReduce(SimTime by, SimStep& step) {
  step.communication += by;
  step.exposed_communication += by;
}

void ApplyFault(const Fault& fault, SimStep& step) {
  const SimTime by = SimTime::Seconds(fault.seconds());
  if (fault.kind() == Fault::DELAY) return DelayAllReduce(by, step);
  if (fault.kind() != Fault::SLOW) return;
  if (fault.phase() == "compute")
    step.compute += by;
  else if (fault.phase() == "update")
    step.update += by;
  else if (fault.phase() == "all-reduce" || fault.phase() == "checkpoint")
    DelayAllReduce(by, step);
  else
    DelayInput(by, step);
}

}  // namespace

SimStep SlowedStep(const SimStep& step, std::span<const Fault> faults) {
  std::map<int, SimStep> of_host;
  for (const Fault& fault : faults)
    ApplyFault(fault, of_host.try_emplace(fault.host(), step).first->second);
  SimStep slowest = step;
  for (auto& [host, slowed] : of_host) {
    slowed.total =
        std::max({slowed.input, slowed.store, WithoutInput(slowed)}) +
        slowed.fixed;
    if (slowed.total > slowest.total) slowest = slowed;
  }
  return slowest;
}

PodPhases PhasesOf(const SimStep& step) {
  return {.input = step.total - step.fixed - WithoutInput(step),
          .compute = step.compute,
          .reduce = step.exposed_communication,
          .update = step.update,
          .fixed = step.fixed};
}

}  // namespace podsim
