#include "host/bench/bench_timing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace podsim {
namespace {

double VariationPercent(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return mean > 0 ? 100 * std::sqrt(squares / count) / mean : 0;
}

}  // namespace

void FillSpread(std::vector<double> seconds, std::int64_t skip, bool keep,
                BenchTiming& timing) {
  if (keep) {
    timing.mutable_iteration_seconds()->Add(seconds.begin(), seconds.end());
  }
  seconds.erase(seconds.begin(), seconds.begin() + skip);
  std::sort(seconds.begin(), seconds.end());
  const std::size_t count = seconds.size();
  timing.set_min_seconds(seconds.front());
  timing.set_max_seconds(seconds.back());
  timing.set_median_seconds((seconds[(count - 1) / 2] + seconds[count / 2]) /
                            2);
  timing.set_p99_seconds(seconds[(count * 99 + 99) / 100 - 1]);
  timing.set_variation_percent(VariationPercent(seconds));
}

}  // namespace podsim
