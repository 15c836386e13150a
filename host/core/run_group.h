// Runs the instructions of a row group, or one alone, with their kernels.
#ifndef PODSIM_HOST_CORE_RUN_GROUP_H_
#define PODSIM_HOST_CORE_RUN_GROUP_H_

#include <span>

#include "host/core/op_kernels.h"

namespace podsim {

struct KernelCall {
  OpCall call;
  OpKernel kernel;
  Work work;
};

// A group of one runs core by core, over its own rows, or as a whole; others
// have the rows of the batch.
void RunGroup(std::span<const KernelCall> group);

// Where the packed right side of a product is; packs it, into the workspace's
// `slot`, if it is no variable.
const float* PackedFor(const OpCall& call, std::size_t slot);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_RUN_GROUP_H_
