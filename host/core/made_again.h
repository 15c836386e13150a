// Which results of a training step a chip does not hold: whoever reads them
// makes them again in passing, as a compiler that fuses does. Pure.
#ifndef PODSIM_HOST_CORE_MADE_AGAIN_H_
#define PODSIM_HOST_CORE_MADE_AGAIN_H_

#include <span>
#include <vector>

#include "models/graph/program.h"

namespace podsim {

// For each tensor the ones whose bytes are read where it is read: itself, what
// it is a view of, or all that it is made again from. None for a tensor of no
// op in `step`, whose instructions are in order.
//
// A result is made again if an element-wise op makes it, only element-wise ops
// and sums read it, and holding its operands for its readers takes less than
// holding it; one of a transcendental function only for a single reader.
std::vector<std::vector<TensorId>> HeldFor(
    const Program& program, std::span<const Instruction* const> step);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_MADE_AGAIN_H_
