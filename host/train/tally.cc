#include "host/train/tally.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace podsim {
namespace {

void Add(double value, double weight, MetricCombine combine, MetricTotal& to) {
  const bool first = to.weight == 0;
  to.weight += weight;
  switch (combine) {
    case MetricCombine::kMean:
      to.total += value * weight;
      break;
    case MetricCombine::kSum:
      to.total += value;
      break;
    case MetricCombine::kMax:
      to.total = first ? value : std::max(to.total, value);
      break;
  }
}

}  // namespace

void Tally::Count(const RowResults& results, std::int64_t first_row) {
  metrics.resize(results.metrics.size());
  for (std::size_t row = 0; row < results.weights.size(); ++row) {
    const float weight = results.weights[row];
    if (weight == 0) continue;
    for (std::size_t i = 0; i < metrics.size(); ++i)
      Add(results.metrics[i].values[row], weight, results.metrics[i].combine,
          metrics[i]);
    ++examples;
    if (results.loss.empty()) continue;
    const float row_loss = results.loss[row];
    if (!std::isfinite(row_loss) && bad_row < 0) {
      bad_row = first_row + static_cast<std::int64_t>(row);
      bad_loss = row_loss;
    }
  }
}

}  // namespace podsim
