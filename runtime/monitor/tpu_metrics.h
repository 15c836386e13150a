// A host's chips as libtpu would tell them to tpu-info: the answers of the
// RuntimeMetricService (proto/third_party/tpu_info). Pure.
#ifndef PODSIM_RUNTIME_MONITOR_TPU_METRICS_H_
#define PODSIM_RUNTIME_MONITOR_TPU_METRICS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/third_party/tpu_info/tpu_metric_service.pb.h"
#include "runtime/monitor/job_state.h"

namespace podsim {

// Where libtpu serves them, of a host's first process; tpu-info 0.14.2 calls
// this port and no other (metrics.py).
inline constexpr int kTpuMetricsPort = 8431;

// Names as tpu-info 0.14.2 has them (metrics.py, MetricName):
//   tpu.runtime.hbm.memory.total.bytes             a gauge for each device
//   tpu.runtime.hbm.memory.usage.bytes             likewise; simulated, both
//   tpu.runtime.tensorcore.dutycycle.percent       for each chip; wall
std::vector<std::string> TpuMetricNames();

// The metric of `host`, its devices numbered from 0.
// Errors: NOT_FOUND (no such metric; lists them; tpu-info's tables of transfer
//   latencies then say that the metric is unavailable), UNAVAILABLE (no pod has
//   formed), those of SliceOf.
absl::StatusOr<tpu::monitoring::runtime::TPUMetric> TpuMetricOf(
    const std::string& name, const JobState& state, int host);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_MONITOR_TPU_METRICS_H_
