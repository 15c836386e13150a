// Runs a fusion (fusion.h).
#ifndef PODSIM_HOST_CORE_RUN_FUSION_H_
#define PODSIM_HOST_CORE_RUN_FUSION_H_

#include <cstdint>

#include "host/core/fusion.h"
#include "host/core/op_kernels.h"

namespace podsim {

// Rows [begin, end) of the call's part, tile by tile, on this thread. Called at
// once for different ranges. `call` may be of any instruction of the fusion.
void RunFusion(const Fusion& fusion, const OpCall& call, std::int64_t begin,
               std::int64_t end);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_RUN_FUSION_H_
