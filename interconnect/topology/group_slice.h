// The part of a slice that a group of neighbouring replicas has. Pure.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_GROUP_SLICE_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_GROUP_SLICE_H_

#include "interconnect/topology/slice.h"

namespace podsim {

// The chips of the first `replicas` replicas of `slice`, which are numbered as
// its hosts are: places on a board, then hosts in a row, then rows, then
// planes; a last row or plane counts as full. An axis wraps where the group has
// all of an axis that wraps. Other groups are alike; links that are at fault
// are the first group's. As many as all replicas, or 0:
// `slice` itself. REQUIRES: replicas >= 0.
Slice GroupOf(const Slice& slice, int replicas);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_GROUP_SLICE_H_
