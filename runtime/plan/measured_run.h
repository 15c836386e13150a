// What a run's metrics file says beside a row of a ladder.
#ifndef PODSIM_RUNTIME_PLAN_MEASURED_RUN_H_
#define PODSIM_RUNTIME_PLAN_MEASURED_RUN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "host/storage/storage.h"
#include "runtime/report/run_records.h"

namespace podsim {

struct MeasuredRun {
  std::string path;
  std::string model;
  std::string dataset;
  std::string slice;
  std::int64_t global_batch = 0;
  std::int64_t steps = 0;  // finished, each counted once
  // Wall, of the machine that emulated the slice: medians over the steps but
  // the first of each pod, which pays for the start. Nullopt: no other step.
  std::optional<double> step_seconds = {};
  std::optional<double> examples_per_second = {};
  // Simulated by the run itself, of a step without faults; nullopt: the run
  // ended before it was known.
  std::optional<double> sim_step_seconds = {};
  // Of the last step and the last evaluation; nullopt: none, or not finite.
  std::optional<double> loss = {};
  std::optional<double> eval_loss = {};
  std::int64_t bad_lines = 0;  // lines that are no record, left out
  std::int64_t first_bad_line = 0;
};

// Pure.
MeasuredRun MeasuredOf(const RunRecords& run);

// The runs of metrics files, and of folders with some, in this order.
// `notes`: of what folders hold besides, a line each.
// Errors: those of ReadRunsAt; INVALID_ARGUMENT (a file without a plan). Each
//   names the file, and what to give.
absl::StatusOr<std::vector<MeasuredRun>> ReadMeasured(
    ObjectStore& store, const std::vector<std::string>& paths,
    std::vector<std::string>& notes);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_MEASURED_RUN_H_
