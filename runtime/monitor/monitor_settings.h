#ifndef PODSIM_RUNTIME_MONITOR_MONITOR_SETTINGS_H_
#define PODSIM_RUNTIME_MONITOR_MONITOR_SETTINGS_H_

#include "absl/status/status.h"
#include "proto/programs.pb.h"

namespace podsim {

// What says something only together, of MonitorSettings as they were given.
// Errors: INVALID_ARGUMENT, one line. Pure.
absl::Status CheckMonitor(const MonitorSettings& settings);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_MONITOR_MONITOR_SETTINGS_H_
