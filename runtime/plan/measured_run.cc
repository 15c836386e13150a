#include "runtime/plan/measured_run.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/storage/uri_store.h"
#include "runtime/report/median.h"
#include "runtime/report/run_files.h"

namespace podsim {
namespace {

// Without the first step of each pod.
std::optional<double> MedianOf(const StepTable& steps, StepFigure figure) {
  std::vector<double> values;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (!steps.begins[i]) values.push_back(steps[figure][i]);
  return Median(std::move(values));
}

std::optional<double> Finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// Steps have a fault's part in theirs, the forecast does not.
std::optional<double> SimStepOf(const RunRecords& run) {
  if (run.forecast && run.forecast->step > 0) return run.forecast->step;
  return Median(run.steps[StepFigure::kSimSeconds]);
}

std::optional<double> EvalLossOf(const RunRecords& run) {
  if (run.summary && run.summary->eval_loss) return run.summary->eval_loss;
  return run.evals.empty() ? std::nullopt : run.evals.back().loss;
}

absl::Status CheckHasPlan(const RunRecords& run) {
  if (!run.plan.slice.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      run.path,
      " has no line of a plan ({\"event\":\"plan\",...}), so no run has begun "
      "there; give what pod_launch --metrics_file=FILE wrote of one"));
}

}  // namespace

MeasuredRun MeasuredOf(const RunRecords& run) {
  MeasuredRun measured = {
      .path = run.path,
      .model = run.plan.model,
      .dataset = run.plan.dataset,
      .slice = run.plan.slice,
      .global_batch = run.plan.global_batch,
      .steps = static_cast<std::int64_t>(run.steps.size()),
      .step_seconds = MedianOf(run.steps, StepFigure::kSeconds),
      .examples_per_second = MedianOf(run.steps, StepFigure::kRate),
      .sim_step_seconds = SimStepOf(run),
      .eval_loss = EvalLossOf(run),
      .bad_lines = run.bad_lines,
      .first_bad_line = run.first_bad_line};
  if (measured.steps > 0)
    measured.loss = Finite(run.steps[StepFigure::kLoss].back());
  return measured;
}

absl::StatusOr<std::vector<MeasuredRun>> ReadMeasured(
    ObjectStore& store, const std::vector<std::string>& paths,
    std::vector<std::string>& notes) {
  std::vector<MeasuredRun> runs;
  for (const std::string& path : paths) {
    PODSIM_RETURN_IF_ERROR(CheckServed(path));
    PODSIM_ASSIGN_OR_RETURN(const FoundRuns found, ReadRunsAt(store, path));
    for (const RunRecords& run : found.runs) {
      PODSIM_RETURN_IF_ERROR(CheckHasPlan(run));
      runs.push_back(MeasuredOf(run));
    }
    for (const std::string& each : found.passed_over)
      notes.push_back(absl::StrCat("passed over ", each));
  }
  return runs;
}

}  // namespace podsim
