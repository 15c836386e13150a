#include "runtime/bench/bandwidth.h"

namespace podsim {

Bandwidth BandwidthOf(std::string_view collective, std::int64_t bytes,
                      double seconds, int ranks) {
  if (seconds <= 0) return {};
  const double algorithm = static_cast<double>(bytes) / seconds / 1e9;
  if (collective == "broadcast") {
    return {.algorithm = algorithm, .bus = algorithm};
  }
  const double others = static_cast<double>(ranks - 1) / ranks;
  const double factor = collective == "all_reduce" ? 2 * others : others;
  return {.algorithm = algorithm, .bus = algorithm * factor};
}

}  // namespace podsim
