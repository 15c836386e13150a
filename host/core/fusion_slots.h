// Where what a fusion's steps make lies while a tile goes through them.
#ifndef PODSIM_HOST_CORE_FUSION_SLOTS_H_
#define PODSIM_HOST_CORE_FUSION_SLOTS_H_

#include <vector>

#include "host/core/fusion.h"

namespace podsim {

// Gives each value that is not `in_memory` (by value) a slot, as few as will
// do: one that nobody reads any more is used again, but for those that are made
// once for all tiles.
void GiveSlots(const std::vector<bool>& in_memory, Fusion& fusion);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_FUSION_SLOTS_H_
