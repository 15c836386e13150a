// An op as a step of a fusion (fusion.h), if it can be one. Pure.
#ifndef PODSIM_HOST_CORE_FUSED_STEP_H_
#define PODSIM_HOST_CORE_FUSED_STEP_H_

#include <cstdint>
#include <optional>

#include "host/core/fusion.h"

namespace podsim {

// `step` without its values. Elements of a row on the two sides of a fold or a
// spread; of other steps, whose operands and result have as many, `wide` alone.
struct FusibleOp {
  FusedStep step;
  std::int64_t wide = 0;
  std::int64_t narrow = 0;
};

std::optional<FusibleOp> AsFusedStep(const Program& program,
                                     const Instruction& instruction,
                                     const PodsimKernels& kernels);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_FUSED_STEP_H_
