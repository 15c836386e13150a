#include "runtime/report_page/run_times.h"

#include <algorithm>
#include <cmath>

#include "job/phases.h"
#include "runtime/report/median.h"

namespace podsim {
namespace {

// Of one process: columns by part.
struct PartColumns {
  std::vector<double> input;
  std::vector<double> compute;
  std::vector<double> waited;
  std::vector<double> rest;
  std::vector<double> behind;
  std::size_t last = 0;
};

bool Tells(const HostsStep& step, std::size_t processes) {
  return !step.begins && step.seconds > 0 && step.input.size() == processes &&
         step.waited.size() == processes;
}

void AddStep(const HostsStep& step, std::vector<PartColumns>& columns) {
  std::vector<double> waits(step.waited.begin(), step.waited.end());
  const double median = Median(std::move(waits)).value_or(0);
  const auto last = std::min_element(step.waited.begin(), step.waited.end()) -
                    step.waited.begin();
  ++columns[static_cast<std::size_t>(last)].last;
  for (std::size_t p = 0; p < columns.size(); ++p) {
    const double input = step.input[p];
    const double compute = step.compute[p];
    const double waited = step.waited[p];
    columns[p].input.push_back(input);
    columns[p].compute.push_back(compute);
    columns[p].waited.push_back(waited);
    columns[p].rest.push_back(
        std::max(0.0, step.seconds - input - compute - waited));
    columns[p].behind.push_back(median - waited);
  }
}

std::vector<ProcessStep> OfSeveral(const RunRecords& run,
                                   std::size_t processes) {
  std::vector<PartColumns> columns(processes);
  std::size_t steps = 0;
  for (const HostsStep& step : run.hosts_steps) {
    if (!Tells(step, processes)) continue;
    AddStep(step, columns);
    ++steps;
  }
  if (steps == 0) return {};
  std::vector<ProcessStep> result;
  for (std::size_t p = 0; p < processes; ++p) {
    const PartColumns& own = columns[p];
    result.push_back(
        {.hosts = HostsText(run.plan, static_cast<int>(p)),
         .parts = {{"input", Median(own.input).value_or(0)},
                   {"compute", Median(own.compute).value_or(0)},
                   {"waits for the last", Median(own.waited).value_or(0)},
                   {"all-reduce, update, other", Median(own.rest).value_or(0)}},
         .came_last =
             static_cast<double>(own.last) / static_cast<double>(steps),
         .behind = std::max(0.0, Median(own.behind).value_or(0))});
  }
  return result;
}

// Of rows that are no first step of a pod.
double MedianOf(const StepTable& steps, const std::vector<double>& column) {
  std::vector<double> values;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (!steps.begins[i]) values.push_back(column[i]);
  return Median(std::move(values)).value_or(0);
}

std::vector<ProcessStep> OfOne(const RunRecords& run) {
  const StepTable& steps = run.steps;
  ProcessStep only = {.hosts = HostsText(run.plan, 0), .parts = {}};
  for (std::size_t i = 0; i < kPhaseFigures.size(); ++i)
    only.parts.emplace_back(kPhaseNames[i].label,
                            MedianOf(steps, steps[kPhaseFigures[i]]));
  for (const auto& [name, column] : steps.phases)
    only.parts.emplace_back(name, MedianOf(steps, column));
  const bool is_empty =
      std::all_of(only.parts.begin(), only.parts.end(),
                  [](const auto& part) { return part.second <= 0; });
  if (is_empty) return {};
  return {std::move(only)};
}

double SumOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values)
    if (std::isfinite(value)) sum += value;
  return sum;
}

// What the lines say where no summary does; the rest is called other.
RunTime Estimate(const RunRecords& run) {
  RunTime time = {
      .wall = std::max(0.0, run.last_wall_time - run.first_wall_time),
      .estimated = true};
  const double input = SumOf(run.steps[StepFigure::kInput]);
  double paused = 0;
  for (const CheckpointRecord& each : run.checkpoints) paused += each.paused;
  const double productive =
      std::max(0.0, SumOf(run.steps[StepFigure::kSeconds]) - input - paused);
  time.parts = {{"productive", productive},
                {"DATA_LOADING_SYNC", input},
                {"UNPRODUCTIVE_CHECKPOINT_SAVE_TIME", paused},
                {"WASTED_PROGRESS_FROM_DISRUPTION", run.seconds_lost}};
  double known = 0;
  for (const auto& [name, seconds] : time.parts) known += seconds;
  time.wall = std::max(time.wall, known);
  time.parts.emplace_back("OTHER", time.wall - known);
  return time;
}

}  // namespace

std::vector<ProcessStep> ProcessStepsOf(const RunRecords& run) {
  const std::size_t processes =
      run.hosts_steps.empty() ? 0 : run.hosts_steps.back().input.size();
  return processes > 1 ? OfSeveral(run, processes) : OfOne(run);
}

RunTime RunTimeOf(const RunRecords& run) {
  RunTime time;
  if (run.summary && !run.summary->goodput.empty()) {
    time.parts = run.summary->goodput;
    for (const auto& [name, seconds] : time.parts) time.wall += seconds;
  } else {
    time = Estimate(run);
  }
  std::stable_sort(time.parts.begin(), time.parts.end(),
                   [](const auto& a, const auto& b) {
                     const bool first = a.first == "productive";
                     const bool second = b.first == "productive";
                     if (first || second) return first && !second;
                     return a.second > b.second;
                   });
  std::erase_if(time.parts,
                [](const auto& part) { return !(part.second > 0); });
  return time;
}

}  // namespace podsim
