// A job's state as text for a terminal, in the shape of tpu-info, and as JSON
// for programs. Pure.
//
//   TPU Chips
//   | Chip        | Type        | Devices | PID  | Host |
//   |-------------|-------------|---------|------|------|
//   | /dev/accel0 | TPU v3 chip | 2       | 4711 | 0    |
//
//   TPU Runtime Utilization
//   | Chip | HBM Usage (GiB, sim) | Duty cycle (wall) |
#ifndef PODSIM_RUNTIME_MONITOR_MONITOR_TEXT_H_
#define PODSIM_RUNTIME_MONITOR_MONITOR_TEXT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/monitor/job_state.h"

namespace podsim {

// Rows of one table that are drawn; the others are counted.
inline constexpr int kMostRows = 32;

struct MonitorTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // a cell for each column
};

// As above; cells are padded, and rows beyond `most_rows` counted in a line.
std::string FormatMonitorTable(const MonitorTable& table,
                               int most_rows = kMostRows);

// Text of others in it is printable. `host`: of that one alone.
// Errors: INVALID_ARGUMENT (no such host), those of SliceOf.
absl::StatusOr<std::string> MonitorText(const JobState& state,
                                        std::optional<int> host);

// One line, without its newline; keys in their order:
//   {"phase":"training","generation":1,"slice":"v3-8","model":"mlp","step":12,
//    "train_steps":100,"step_seconds":...,"examples_per_second":...,
//    "metrics":{"loss":...},"links":"...",
//    "link_axes":[{"axis":"x","links":8,"bytes_per_step_sim":...,
//                  "busy_seconds_per_step_sim":...}],"host_bytes_per_step":...,
//    "hosts":[{"host":0,"process":0,"pid":4711,"hostname":"...","cores":8,
//              "duty_cycle":...,"input":...,"wait":...,
//              "devices":[{"chip":0,"device":0,"hbm_used_bytes_sim":...,
//                          "hbm_total_bytes_sim":...}]}]}
// Parts of the step's wall time are 0 to 1. Errors: as of MonitorText.
absl::StatusOr<std::string> MonitorJson(const JobState& state,
                                        std::optional<int> host);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_MONITOR_MONITOR_TEXT_H_
