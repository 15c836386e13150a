// A job's state as metrics for Prometheus. Pure.
#ifndef PODSIM_RUNTIME_MONITOR_JOB_METRICS_H_
#define PODSIM_RUNTIME_MONITOR_JOB_METRICS_H_

#include <optional>
#include <vector>

#include "runtime/monitor/job_state.h"
#include "runtime/monitor/prometheus_text.h"

namespace podsim {

// docs/monitor.md lists them. What is simulated says so by the label
// clock="sim", what was measured by clock="wall". `sim_step`: seconds that a
// step takes on the pod; nullopt: it is not known.
std::vector<MetricFamily> JobMetrics(const JobState& state,
                                     std::optional<double> sim_step);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_MONITOR_JOB_METRICS_H_
