// A mask by which each query of an attention looks at some keys alone, told by
// the places that it compares. Pure.
#ifndef PODSIM_CHIP_CAUSAL_MASK_H_
#define PODSIM_CHIP_CAUSAL_MASK_H_

#include <vector>

#include "chip/graph.h"
#include "chip/op_ways.h"

namespace podsim {

// Whether `value` follows from an order of places: it is a comparison, other
// than for equality, of what is counted along two axes (iota, or made of one in
// passing), or holds only where such a one does. `ways`: by node of `graph`.
bool ComparesPlaces(const ChipGraph& graph, const std::vector<ChipWay>& ways,
                    ChipValueId value);

}  // namespace podsim

#endif  // PODSIM_CHIP_CAUSAL_MASK_H_
