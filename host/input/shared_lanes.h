// How the hosts of a pod share the lanes of shards (epoch_order.h). Pure.
#ifndef PODSIM_HOST_INPUT_SHARED_LANES_H_
#define PODSIM_HOST_INPUT_SHARED_LANES_H_

#include <cstdint>

namespace podsim {

// How many of `hosts` read each lane, on the average: 1 if the lanes are a
// multiple of the hosts.
double HostsOfLane(std::int64_t lanes, std::int64_t hosts);

// How often each packed byte is read, on the average, where who reads has runs
// of `run_bytes`, and of spans of `span_bytes` (restart_point.h), `read_bytes`
// at a time: what lies before a run in its first span, half of one, is read as
// well, and behind it as much, but for what is not read yet.
double TimesOfRun(double run_bytes, double span_bytes, double read_bytes);

// The most lanes that `hosts_here` neighbours of `hosts` read, of one size; all
// if it is not known how many hosts there are (0).
std::int64_t LanesHere(std::int64_t lanes, std::int64_t hosts_here,
                       std::int64_t hosts);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_SHARED_LANES_H_
