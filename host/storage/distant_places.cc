#include "host/storage/distant_places.h"

#include <algorithm>

#include "base/status.h"

namespace podsim {

std::vector<DistantPlace> DistantPlacesOf(const JobGeography& geography,
                                          int hosts, int hosts_here) {
  PODSIM_CHECK(1 <= hosts_here && hosts_here <= hosts);
  std::vector<DistantPlace> places;
  for (const BucketPlace& place : geography.buckets()) {
    PODSIM_CHECK(place.has_host_bytes_per_second());
    const double of_host =
        std::min(place.host_bytes_per_second().value(),
                 place.bucket_bytes_per_second().value() / hosts);
    places.push_back(
        {.prefix = place.bucket(),
         .distance = {.round_trip_seconds = place.round_trip_seconds().value(),
                      .jitter_seconds = place.jitter_seconds().value(),
                      .bytes_per_second = of_host * hosts_here}});
  }
  return places;
}

}  // namespace podsim
