// Metrics as Prometheus reads them: its text format 0.0.4,
// https://prometheus.io/docs/instrumenting/exposition_formats/. Pure.
//
// Debian's prometheus-cpp, which writes this too, comes as shared libraries
// alone that need libstdc++'s: programs that are to run elsewhere have that
// linked in (cmake/PodsimPortable.cmake). A test compares our page with its.
#ifndef PODSIM_RUNTIME_MONITOR_PROMETHEUS_TEXT_H_
#define PODSIM_RUNTIME_MONITOR_PROMETHEUS_TEXT_H_

#include <string>
#include <utility>
#include <vector>

namespace podsim {

struct MetricSample {
  std::vector<std::pair<std::string, std::string>> labels;  // any text
  double value = 0;
};

struct MetricFamily {
  std::string name;  // letters, digits, '_' and ':'; no digit first
  std::string help;
  bool counter = false;  // else a gauge
  std::vector<MetricSample> samples;
};

// What the page is served as.
inline constexpr char kPrometheusType[] =
    "text/plain; version=0.0.4; charset=utf-8";

// Families without samples are left out.
// REQUIRES: names of metrics and labels are allowed ones.
std::string PrometheusText(const std::vector<MetricFamily>& families);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_MONITOR_PROMETHEUS_TEXT_H_
