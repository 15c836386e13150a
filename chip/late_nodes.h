// An order of a ChipGraph's nodes in which some of them stand late.
#ifndef PODSIM_CHIP_LATE_NODES_H_
#define PODSIM_CHIP_LATE_NODES_H_

#include <vector>

#include "chip/graph.h"

namespace podsim {

// Puts the nodes in an order in which each stands behind those that make its
// operands: late ones (`is_late`, by node) directly before the first that reads
// them, so that KernelOrder lets them run no earlier, and the others in the
// order in which they stand. Nodes whose results nobody wants are left out, and
// nothing makes these any more. Linear, but for operands of one node.
// REQUIRES: nodes that are not late stand behind those that make their
//   operands, late ones apart; no node waits for itself.
void PlaceLateNodes(ChipGraph& graph, std::vector<bool>& is_late);

}  // namespace podsim

#endif  // PODSIM_CHIP_LATE_NODES_H_
