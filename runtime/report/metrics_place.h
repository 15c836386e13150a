// Where a job's metrics file goes. Pure.
#ifndef PODSIM_RUNTIME_REPORT_METRICS_PLACE_H_
#define PODSIM_RUNTIME_REPORT_METRICS_PLACE_H_

#include <string>

#include "proto/job.pb.h"

namespace podsim {

// The file of a model_dir that keeps the metrics of the job that trains there.
inline constexpr char kMetricsName[] = "metrics.jsonl";

// Of this machine or of a store. Empty: none is written, as the job says so, or
// names no file and either has no model_dir, only evaluates a checkpoint, or
// has its model_dir in a bucket, which cannot append: there the file would be
// written as a whole every half minute.
std::string MetricsPath(const JobSpec& spec);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_METRICS_PLACE_H_
