// The torus algorithms of chip_plans.h. REQUIRES of all: a sound request for
// more than one chip.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_TORUS_PLANS_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_TORUS_PLANS_H_

#include <vector>

#include "interconnect/collectives/chip_plans.h"

namespace podsim {

// Waves that each part of the buffer goes in.
int WavesOf(const ChipRequest& request);

// Buffers of a multiple of it are cut evenly.
std::int64_t TorusUnit(const ChipRequest& request);

RankPlan TorusPlan(const ChipRequest& request, int chip);
std::vector<Range> TorusShare(const ChipRequest& request, int chip);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_TORUS_PLANS_H_
