// Runs the instructions of a row group, or one alone, with their kernels.
#ifndef PODSIM_HOST_CORE_RUN_GROUP_H_
#define PODSIM_HOST_CORE_RUN_GROUP_H_

#include <span>

#include "host/core/fusion.h"
#include "host/core/op_kernels.h"

namespace podsim {

// An instruction, or those of a fusion, of which `call` is the first.
struct KernelCall {
  OpCall call;
  OpKernel kernel;
  Work work = Work::kElementwise;
  const Fusion* fusion = nullptr;

  bool per_core() const {
    return fusion != nullptr ? fusion->per_core : call.instruction.per_core;
  }
  // Neighbours of the same one may run some rows at a time together.
  std::int32_t row_group() const {
    return fusion != nullptr ? fusion->row_group : call.instruction.row_group;
  }
};

// A group of one runs core by core, over its own rows, or as a whole; others
// are stacked and have the rows of the batch.
void RunGroup(std::span<const KernelCall> group);

// Where the packed right side of a product is; packs it, into the workspace's
// `slot`, if it is no variable.
const float* PackedFor(const OpCall& call, std::size_t slot);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_RUN_GROUP_H_
