#include "job/metrics.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/graph/metric_formula.h"

namespace podsim {
namespace {

MetricSum* FindMutable(std::string_view name, MetricSums& sums) {
  for (MetricSum& sum : sums)
    if (sum.name() == name) return &sum;
  return nullptr;
}

// What comes from other processes is looked at first.
double ValueOfFormula(const MetricSum& sum) {
  if (sum.sums_size() != sum.formula().sums_size() ||
      !CheckFormula(sum.formula()).ok())
    return std::nan("");
  const std::vector<double> sums(sum.sums().begin(), sum.sums().end());
  return ValueOf(sum.formula(), sums, sum.weight());
}

}  // namespace

const MetricSum* FindMetric(const MetricSums& sums, std::string_view name) {
  for (const MetricSum& sum : sums)
    if (sum.name() == name) return &sum;
  return nullptr;
}

void TakeFormula(const MetricFormula& formula, MetricSums& sums) {
  MetricSum loss;
  loss.set_name(kLossMetric);
  *loss.mutable_formula() = formula;
  for (const std::string& name : formula.sums()) {
    const MetricSum* part = FindMetric(sums, name);
    if (part == nullptr) return;
    loss.add_sums(part->total());
    loss.set_weight(part->weight());
  }
  const std::set<std::string> parts(formula.sums().begin(),
                                    formula.sums().end());
  sums.erase(std::remove_if(sums.begin(), sums.end(),
                            [&](const MetricSum& sum) {
                              return parts.contains(sum.name());
                            }),
             sums.end());
  *sums.Add() = std::move(loss);
}

double CombinedValue(const MetricSum& sum) {
  if (sum.has_formula()) return ValueOfFormula(sum);
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
    for (int i = 0; i < std::min(sum->sums_size(), each.sums_size()); ++i)
      sum->set_sums(i, sum->sums(i) + each.sums(i));
    sum->set_weight(sum->weight() + each.weight());
  }
}

}  // namespace podsim
