#include "job/metrics.h"

#include <algorithm>
#include <cmath>

namespace podsim {
namespace {

MetricSum* FindMutable(std::string_view name, MetricSums& sums) {
  for (MetricSum& sum : sums)
    if (sum.name() == name) return &sum;
  return nullptr;
}

}  // namespace

const MetricSum* FindMetric(const MetricSums& sums, std::string_view name) {
  for (const MetricSum& sum : sums)
    if (sum.name() == name) return &sum;
  return nullptr;
}

double CombinedValue(const MetricSum& sum) {
  if (sum.combine() != MetricSum::WEIGHTED_MEAN) return sum.total();
  return sum.weight() > 0 ? sum.total() / sum.weight() : 0;
}

double MetricValue(const MetricSums& sums, std::string_view name) {
  const MetricSum* sum = FindMetric(sums, name);
  return sum == nullptr ? 0 : CombinedValue(*sum);
}

std::optional<double> AccuracyOf(const MetricSums& sums) {
  const MetricSum* accuracy = FindMetric(sums, kAccuracyMetric);
  if (accuracy == nullptr) return std::nullopt;
  return CombinedValue(*accuracy);
}

std::int64_t CorrectExamples(const MetricSums& sums) {
  const MetricSum* accuracy = FindMetric(sums, kAccuracyMetric);
  return accuracy == nullptr ? 0 : std::llround(accuracy->total());
}

void AddMetrics(const MetricSums& part, MetricSums& sums) {
  for (const MetricSum& each : part) {
    MetricSum* sum = FindMutable(each.name(), sums);
    if (sum == nullptr) {
      *sums.Add() = each;
      continue;
    }
    sum->set_total(each.combine() == MetricSum::MAXIMUM
                       ? std::max(sum->total(), each.total())
                       : sum->total() + each.total());
    sum->set_weight(sum->weight() + each.weight());
  }
}

}  // namespace podsim
