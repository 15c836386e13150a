// Admission: what a Program needs of a core's HBM and of this machine, before
// the first step. Pure.
#ifndef PODSIM_HOST_CORE_ADMISSION_H_
#define PODSIM_HOST_CORE_ADMISSION_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "models/graph/program.h"

namespace podsim {

// Bytes of one core's HBM, as the chip would hold them: every core has its own
// parameters, gradients and optimizer slots, rounding to bfloat16 is part of
// the product that reads, and what an op leaves of one operand takes its place.
struct HbmUse {
  std::int64_t parameters = 0;
  std::int64_t gradients = 0;
  std::int64_t optimizer = 0;
  std::int64_t activations = 0;
  std::int64_t input = 0;  // two batches: one in use, one arriving
  std::int64_t total() const {
    return parameters + gradients + optimizer + activations + input;
  }
};

// With several `microbatches` (a power of two) a core holds the activations of
// one at a time, and the gradients of one and of the partial sums of their
// tree (tree_sum.h).
HbmUse EstimateHbm(const Program& program, std::int64_t batch_per_core,
                   std::int64_t microbatches = 1);

// The largest batch per core, a multiple of `microbatches`, whose total fits; 0
// if not even one row of each does.
std::int64_t LargestBatch(const Program& program, std::int64_t hbm_bytes,
                          std::int64_t microbatches = 1);

// OK, or RESOURCE_EXHAUSTED with the table of HbmUse, the core's HBM and the
// largest batch per core that fits. `replica`: what the slice's cores are
// called in messages, "chip" where those of a chip act as one.
absl::Status AdmitToCore(const Program& program, std::int64_t batch_per_core,
                         std::int64_t hbm_bytes, std::int64_t microbatches = 1,
                         const char* replica = "core");

// Bytes that this machine needs to emulate a job: per process a copy of the
// variables, with several `microbatches` per core the partial sums of a host's
// tree, and a fixed cost; per host its gradients, activations of the stacked
// rows and two batches of input.
struct MachineUse {
  std::int64_t per_process = 0;
  std::int64_t per_host = 0;
};
MachineUse EstimateMachine(const Program& program, std::int64_t batch_per_core,
                           int cores_per_host, std::int64_t microbatches = 0);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_ADMISSION_H_
