#include "host/input/shared_lanes.h"

#include <algorithm>

namespace podsim {

// Host h reads from lane floor(h L / H) to the one before ceil((h + 1) L / H).
double HostsOfLane(std::int64_t lanes, std::int64_t hosts, bool of_one_size) {
  const auto of = static_cast<double>(lanes);
  if (!of_one_size)
    return std::min<double>(static_cast<double>(hosts),
                            static_cast<double>(lanes + hosts - 1) / of);
  std::int64_t pairs = 0;
  for (std::int64_t host = 0; host < hosts; ++host)
    pairs += ((host + 1) * lanes + hosts - 1) / hosts - host * lanes / hosts;
  return static_cast<double>(pairs) / of;
}

std::int64_t LanesHere(std::int64_t lanes, std::int64_t hosts_here,
                       std::int64_t hosts) {
  if (hosts == 0) return lanes;
  return std::min(lanes, (lanes * hosts_here + hosts - 1) / hosts + 1);
}

}  // namespace podsim
