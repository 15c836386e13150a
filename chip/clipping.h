// Clipping of gradients by their norm, as nodes of a ChipGraph.
#ifndef PODSIM_CHIP_CLIPPING_H_
#define PODSIM_CHIP_CLIPPING_H_

#include <vector>

#include "chip/graph.h"

namespace podsim {

// Appends the norm of all gradients together, the factor min(1, clip_norm /
// norm), and each gradient times that; returns these products, in order. On a
// chip they are no pass of their own: each update makes its own while it reads
// the gradient. The gradients are float32 without B.
std::vector<ChipValueId> AppendClipping(
    const std::vector<ChipValueId>& gradients, double clip_norm,
    ChipGraph& graph);

}  // namespace podsim

#endif  // PODSIM_CHIP_CLIPPING_H_
