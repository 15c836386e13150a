// How the hosts of a pod share the lanes of shards (epoch_order.h). Pure.
#ifndef PODSIM_HOST_INPUT_SHARED_LANES_H_
#define PODSIM_HOST_INPUT_SHARED_LANES_H_

#include <cstdint>

namespace podsim {

// How many of `hosts` read each lane, on the average: of lanes of one size 1 if
// they are a multiple of the hosts. Of others, which end with packed shards, a
// host's part begins and ends within one: about so many, more where hosts are
// nearly as many as lanes.
double HostsOfLane(std::int64_t lanes, std::int64_t hosts, bool of_one_size);

// The most lanes that `hosts_here` neighbours of `hosts` read, of one size; all
// if it is not known how many hosts there are (0).
std::int64_t LanesHere(std::int64_t lanes, std::int64_t hosts_here,
                       std::int64_t hosts);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_SHARED_LANES_H_
