// What this machine needs of memory to emulate a job, before the first step.
// Pure.
#ifndef PODSIM_HOST_CORE_MACHINE_USE_H_
#define PODSIM_HOST_CORE_MACHINE_USE_H_

#include <cstdint>

#include "models/graph/program.h"

namespace podsim {

// Bytes. Per process a copy of the variables, with several `microbatches` per
// core the partial sums of a host's tree, and a fixed cost; per host its
// gradients, activations of the stacked rows and two batches of input.
struct MachineUse {
  std::int64_t per_process = 0;
  std::int64_t per_host = 0;
};
MachineUse EstimateMachine(const Program& program, std::int64_t batch_per_core,
                           int cores_per_host, std::int64_t microbatches = 0);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_MACHINE_USE_H_
