// The sums of a model's metrics: how those of hosts become those of the job,
// and what they come to. Pure.
#ifndef PODSIM_JOB_METRICS_H_
#define PODSIM_JOB_METRICS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "google/protobuf/repeated_field.h"
#include "proto/metrics.pb.h"

namespace podsim {

using MetricSums = google::protobuf::RepeatedPtrField<MetricSum>;

// The rows that every classifier has, and texts name.
inline constexpr char kLossMetric[] = "loss";
inline constexpr char kAccuracyMetric[] = "accuracy";

// nullptr if there is none of that name.
const MetricSum* FindMetric(const MetricSums& sums, std::string_view name);

// Of an evaluation whose loss is a function of sums: one metric, the loss, in
// their place. Nothing if they are not there, as of a host without examples.
void TakeFormula(const MetricFormula& formula, MetricSums& sums);

// What it comes to; a mean over nothing is 0, and NaN what no formula gives.
double CombinedValue(const MetricSum& sum);
// Of the metric called `name`; 0 if there is none.
double MetricValue(const MetricSums& sums, std::string_view name);

// Of a model that has one.
std::optional<double> AccuracyOf(const MetricSums& sums);

// How many examples of an evaluation are right: their weights are 1.
std::int64_t CorrectExamples(const MetricSums& sums);

// Adds those of `part` to those of the same names in `sums`, others behind
// them. Sums depend on the order of the calls: host order.
void AddMetrics(const MetricSums& part, MetricSums& sums);

}  // namespace podsim

#endif  // PODSIM_JOB_METRICS_H_
