// Metrics in messages, for tests.
#ifndef PODSIM_TESTS_JOB_SET_METRIC_H_
#define PODSIM_TESTS_JOB_SET_METRIC_H_

#include <string_view>

#include "job/metrics.h"

namespace podsim::testing {

// Sets the mean of the metric called `name` of a report or event to `total` /
// `weight`.
template <typename Message>
void SetMean(Message& message, std::string_view name, double total,
             double weight = 1) {
  MetricSum* found = nullptr;
  for (MetricSum& sum : *message.mutable_metrics())
    if (sum.name() == name) found = &sum;
  if (found == nullptr) found = message.add_metrics();
  found->set_name(name.data(), name.size());
  found->set_combine(MetricSum::WEIGHTED_MEAN);
  found->set_total(total);
  found->set_weight(weight);
}

// A step's loss is a sum over the hosts.
template <typename Message>
void SetLossSum(Message& message, double total) {
  SetMean(message, kLossMetric, total);
  for (MetricSum& sum : *message.mutable_metrics())
    if (sum.name() == kLossMetric) sum.set_combine(MetricSum::SUM);
}

template <typename Message>
double LossOf(const Message& message) {
  return MetricValue(message.metrics(), kLossMetric);
}

template <typename Message>
double AccuracyOf(const Message& message) {
  return MetricValue(message.metrics(), kAccuracyMetric);
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_JOB_SET_METRIC_H_
