// What a core of a planned job holds in HBM. Pure.
#ifndef PODSIM_JOB_HBM_H_
#define PODSIM_JOB_HBM_H_

#include <cstdint>

#include "proto/job.pb.h"

namespace podsim {

// Bytes of one core at the fullest moment of a step; memory.hbm() is what
// the core has for programs, without what the system keeps.
inline std::int64_t HbmBytes(const CoreMemory& memory) {
  return memory.parameters() + memory.gradients() + memory.slots() +
         memory.activations() + memory.input();
}

}  // namespace podsim

#endif  // PODSIM_JOB_HBM_H_
