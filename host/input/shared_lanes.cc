#include "host/input/shared_lanes.h"

#include <algorithm>

namespace podsim {

// Host h reads from lane floor(h L / H) to the one before ceil((h + 1) L / H).
double HostsOfLane(std::int64_t lanes, std::int64_t hosts) {
  std::int64_t pairs = 0;
  for (std::int64_t host = 0; host < hosts; ++host)
    pairs += ((host + 1) * lanes + hosts - 1) / hosts - host * lanes / hosts;
  return static_cast<double>(pairs) / static_cast<double>(lanes);
}

double TimesOfRun(double run_bytes, double span_bytes, double read_bytes) {
  return 1 +
         (span_bytes / 2 + std::min(span_bytes / 2, read_bytes)) / run_bytes;
}

std::int64_t LanesHere(std::int64_t lanes, std::int64_t hosts_here,
                       std::int64_t hosts) {
  if (hosts == 0) return lanes;
  return std::min(lanes, (lanes * hosts_here + hosts - 1) / hosts + 1);
}

}  // namespace podsim
