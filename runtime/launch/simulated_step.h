// What a job's step would take on the real pod. Pure.
#ifndef PODSIM_RUNTIME_LAUNCH_SIMULATED_STEP_H_
#define PODSIM_RUNTIME_LAUNCH_SIMULATED_STEP_H_

#include <optional>

#include "base/units.h"
#include "runtime/pod/job_runner.h"

namespace podsim {

// Nothing where the forecast has no answer for this job.
std::optional<SimTime> SimulatedStep(const PlannedJob& job);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LAUNCH_SIMULATED_STEP_H_
