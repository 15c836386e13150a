// What an all_reduce makes of the values that some cores have.
#ifndef PODSIM_HOST_CORE_JOIN_CORES_H_
#define PODSIM_HOST_CORE_JOIN_CORES_H_

#include <span>

#include "models/graph/program.h"

namespace podsim {

// Of each core a value of the same size: in all of them then stands what `op`
// makes of them, as a balanced tree over the cores in their order. NaN of NaN.
void JoinCores(ReduceOp op, std::span<const std::span<float>> values);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_JOIN_CORES_H_
