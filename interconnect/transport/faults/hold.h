// How much longer frames take over a slow link. Pure.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_FAULTS_HOLD_H_
#define PODSIM_INTERCONNECT_TRANSPORT_FAULTS_HOLD_H_

#include <cstddef>

#include "absl/time/time.h"

namespace podsim {

// What a sound link of the emulated pod is taken to carry, in one direction:
// about what a link of the ring does over sockets (docs/performance.md: 64 MiB
// among four hosts, 96 MiB over each link, in 92 ms). Set, so that a slow link
// costs the same on every machine.
inline constexpr double kLinkBytesPerSecond = 1e9;

// How much longer `bytes` take over a link that has `rate` of that.
// REQUIRES: 0 < rate <= 1.
absl::Duration HoldOf(std::size_t bytes, double rate);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_FAULTS_HOLD_H_
