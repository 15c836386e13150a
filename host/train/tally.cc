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
    const std::int64_t place = first_row + static_cast<std::int64_t>(row);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      const MetricRows& metric = results.metrics[i];
      Add(metric.values[row], weight, metric.combine, metrics[i]);
      if (metric.is_of_loss) Look(metric.values[row], place);
    }
    ++examples;
    if (!results.loss.empty()) Look(results.loss[row], place);
  }
}

void Tally::Look(float loss, std::int64_t row) {
  if (std::isfinite(loss) || bad_row >= 0) return;
  bad_row = row;
  bad_loss = loss;
}

}  // namespace podsim
