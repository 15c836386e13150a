// The distances between a process and its pod's buckets, as the plan has them.
// Pure.
#ifndef PODSIM_HOST_STORAGE_DISTANT_PLACES_H_
#define PODSIM_HOST_STORAGE_DISTANT_PLACES_H_

#include <vector>

#include "host/storage/distant_store.h"
#include "proto/geography.pb.h"

namespace podsim {

// For a process that is `hosts_here` of a pod's `hosts`, which share what the
// bucket's place has. REQUIRES: every bucket's way is known, and 1 <=
// hosts_here <= hosts.
std::vector<DistantPlace> DistantPlacesOf(const JobGeography& geography,
                                          int hosts, int hosts_here);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_DISTANT_PLACES_H_
