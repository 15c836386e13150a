// Metrics that are functions of sums over all examples of an evaluation. Pure.
#ifndef PODSIM_MODELS_GRAPH_METRIC_FORMULA_H_
#define PODSIM_MODELS_GRAPH_METRIC_FORMULA_H_

#include <set>
#include <span>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "proto/metrics.pb.h"

namespace podsim {

inline constexpr int kMostFormulaNodes = 4096;

// How many operands an op of a formula has; -1: there is no such op.
int OperandsOf(MetricFormula::Op op);

// Whether it can be evaluated, whatever its sums are called.
// Errors: INVALID_ARGUMENT.
absl::Status CheckFormula(const MetricFormula& formula);

// CheckFormula, and whether it names each of its sums once, out of those that
// `metrics` (a message's) lets evaluations alone add up.
template <typename Metrics>
absl::Status CheckFormulaOf(const MetricFormula& formula,
                            const Metrics& metrics);
absl::Status CheckSums(const MetricFormula& formula,
                       std::set<std::string> there);

// Of the sums, in the order in which the formula names them, over so many
// examples.
// REQUIRES: CheckFormula(formula), as many sums as it names.
double ValueOf(const MetricFormula& formula, std::span<const double> sums,
               double examples);

template <typename Metrics>
absl::Status CheckFormulaOf(const MetricFormula& formula,
                            const Metrics& metrics) {
  std::set<std::string> there;
  for (const auto& metric : metrics)
    if (metric.combine() == MetricSum::SUM &&
        metric.passes() == MetricSum::EVALUATION_ALONE)
      there.insert(metric.name());
  return CheckSums(formula, std::move(there));
}

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_METRIC_FORMULA_H_
