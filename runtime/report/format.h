// Small pieces of text that several reports share: rates, percentages and
// spans of wall time, always written the same way. Pure.
#ifndef PODSIM_RUNTIME_REPORT_FORMAT_H_
#define PODSIM_RUNTIME_REPORT_FORMAT_H_

#include <string>

#include "absl/time/time.h"
#include "job/metrics.h"

namespace podsim {

// 0.9635 -> "96.35%".
std::string FormatPercent(double fraction);
// "1.234 s", "12.3 ms", "45.6 us"; the caller says that it is wall time.
std::string FormatWallTime(absl::Duration duration);
// Time left, to the second: "12s", "3m05s", "1h02m"; "?" when not finite.
std::string FormatTimeLeft(absl::Duration left);
// The metrics that a model has beside loss and accuracy, each with a comma
// before it: ", margin: 0.7500, top five: 98.00%".
std::string FormatOtherMetrics(const MetricSums& sums);
// "loss 0.0674" of an evaluation; "no loss" of one that does not compute it.
std::string FormatEvalLoss(const MetricSums& sums);
// Examples a second for people: "261,641" (below 100: "12.3").
std::string FormatRate(double per_second);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_FORMAT_H_
