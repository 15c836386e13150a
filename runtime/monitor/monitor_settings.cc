#include "runtime/monitor/monitor_settings.h"

#include "absl/strings/str_cat.h"

namespace podsim {

absl::Status CheckMonitor(const MonitorSettings& settings) {
  if (!settings.has_metrics_host() || settings.has_metrics_port())
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--metrics_host=", settings.metrics_host(),
                   " says where a page is, and there is none without "
                   "--metrics_port: give that, such as --metrics_port=9400"));
}

}  // namespace podsim
