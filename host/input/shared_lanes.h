// How the hosts of a pod share the lanes of shards (epoch_order.h). Pure.
#ifndef PODSIM_HOST_INPUT_SHARED_LANES_H_
#define PODSIM_HOST_INPUT_SHARED_LANES_H_

#include <cstdint>

namespace podsim {

// How many of `hosts` read each lane, on the average: 1 if the lanes are a
// multiple of the hosts.
double HostsOfLane(std::int64_t lanes, std::int64_t hosts);

// How many of `hosts` read each packed byte, on the average, where each of them
// reads runs of `run_bytes`, and of spans of `span_bytes` (restart_point.h):
// what lies before a run in its first span and behind it in its last, half a
// span each, is read as well.
double HostsOfRun(double run_bytes, double span_bytes, std::int64_t hosts);

// The most lanes that `hosts_here` neighbours of `hosts` read, of one size; all
// if it is not known how many hosts there are (0).
std::int64_t LanesHere(std::int64_t lanes, std::int64_t hosts_here,
                       std::int64_t hosts);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_SHARED_LANES_H_
