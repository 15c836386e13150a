// A host that is slow, and input that all wait for.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/report/median.h"
#include "runtime/report_page/rules.h"

namespace podsim {
namespace {

constexpr std::size_t kAtLeastTwo = 2;
// Making a batch, the mean over all hosts, takes so much of the steps' time:
// then it is no single host whose input is late. Of four hosts that wait for
// one, the three others are busy with theirs for at least 5/9 of the step. Two
// processes that decoded equal images on two busy CPUs: 0.78 to 0.99 in four
// runs; with images that cost little, 0.19 to 0.27
// (python/checks/sick_jobs.py).
constexpr double kAllMake = 2.0 / 3;

// The steps that tell of as many processes as the last of them.
std::vector<const HostsStep*> JudgedSteps(const RunRecords& run) {
  std::vector<const HostsStep*> judged;
  if (run.hosts_steps.empty()) return judged;
  const std::size_t processes = run.hosts_steps.back().input.size();
  for (const HostsStep& step : run.hosts_steps)
    if (!step.begins && step.seconds > 0 && step.input.size() == processes &&
        step.waited.size() == processes && processes >= kAtLeastTwo)
      judged.push_back(&step);
  return judged;
}

// For each process the median of all others' values; of two in the middle the
// lower.
std::vector<double> MediansOfOthers(const std::vector<float>& values) {
  std::vector<float> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = (values.size() - 2) / 2;
  std::vector<double> medians;
  medians.reserve(values.size());
  for (const float value : values)
    medians.push_back(static_cast<double>(
        value <= sorted[middle] ? sorted[middle + 1] : sorted[middle]));
  return medians;
}

// Medians over steps.
struct Lag {
  double share = 0;
  double seconds = 0;
  double by_input = 0;
  double by_compute = 0;
  double last = 0;  // part of the steps in which it came last
};

// How far each process is behind: others waited longer than it did.
struct LagColumns {
  std::vector<double> share;
  std::vector<double> seconds;
  std::vector<double> input;
  std::vector<double> compute;
  std::size_t last = 0;
};

Lag LagOf(const LagColumns& columns) {
  const double seconds = Median(columns.seconds).value_or(0);
  const auto part = [&](const std::vector<double>& longer) {
    return std::clamp(Median(longer).value_or(0), 0.0, std::max(0.0, seconds));
  };
  return {.share = Median(columns.share).value_or(0),
          .seconds = seconds,
          .by_input = part(columns.input),
          .by_compute = part(columns.compute),
          .last = static_cast<double>(columns.last) /
                  static_cast<double>(columns.share.size())};
}

std::vector<Lag> LagsOf(const std::vector<const HostsStep*>& steps) {
  std::vector<LagColumns> columns(steps.front()->input.size());
  for (const HostsStep* step : steps) {
    const std::vector<double> waited = MediansOfOthers(step->waited);
    const std::vector<double> input = MediansOfOthers(step->input);
    const std::vector<double> compute = MediansOfOthers(step->compute);
    const auto last =
        std::min_element(step->waited.begin(), step->waited.end()) -
        step->waited.begin();
    ++columns[static_cast<std::size_t>(last)].last;
    for (std::size_t p = 0; p < columns.size(); ++p) {
      const double behind = waited[p] - step->waited[p];
      columns[p].seconds.push_back(behind);
      columns[p].share.push_back(behind / step->seconds);
      columns[p].input.push_back(step->input[p] - input[p]);
      columns[p].compute.push_back(step->compute[p] - compute[p]);
    }
  }
  std::vector<Lag> lags;
  lags.reserve(columns.size());
  for (const LagColumns& each : columns) lags.push_back(LagOf(each));
  return lags;
}

bool IsSlowedOnPurpose(const RunRecords& run, int process) {
  return std::any_of(run.incidents.begin(), run.incidents.end(),
                     [&](const Incident& incident) {
                       return incident.kind == Incident::Kind::kFault &&
                              incident.what == "SLOW" &&
                              ProcessOfHost(run.plan, incident.host) == process;
                     });
}

// Twice as many as now.
std::string MoreInputThreads(const PlanRecord& plan) {
  std::int64_t threads = 0;
  for (const char* flag : {"input_threads", "threads"})
    if (threads <= 0 && !absl::SimpleAtoi(SettingText(plan, flag), &threads))
      threads = 0;
  if (threads <= 0) threads = plan.cpus / std::max(1, plan.processes);
  threads = std::clamp<std::int64_t>(2 * threads, 2, 4096);
  return absl::StrCat("--input_threads ", threads);
}

// So many that each has as many hosts as the others.
std::string EqualProcesses(const PlanRecord& plan) {
  int processes = std::max(1, plan.processes);
  while (processes > 1 && plan.hosts % processes != 0) --processes;
  return absl::StrCat("--processes ", processes);
}

bool IsByInput(const Lag& lag) { return lag.by_input > lag.seconds / 2; }

// What changes that a host is slow; empty: nothing of podsim does.
std::string FlagForHost(const RunRecords& run, int process, const Lag& lag) {
  const PlanRecord& plan = run.plan;
  if (IsSlowedOnPurpose(run, process)) return "--faults";
  if (IsByInput(lag)) return MoreInputThreads(plan);
  if (plan.processes > 1 && plan.hosts % plan.processes != 0)
    return EqualProcesses(plan);
  return "";
}

std::string CauseText(const Lag& lag) {
  if (IsByInput(lag)) return ", most of it input";
  if (lag.by_compute > lag.seconds / 2) return ", most of it compute";
  return "";
}

// Of each step, a part of it and seconds.
struct InputWaits {
  std::vector<double> share;
  std::vector<double> seconds;
};

double SumOfSteps(const StepTable& steps, StepFigure figure) {
  double sum = 0;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (!steps.begins[i] && std::isfinite(steps[figure][i]))
      sum += steps[figure][i];
  return sum;
}

// Hosts that all make batches no faster than the steps go wait for each other:
// a host that is a little ahead finds its next batch made while it waits for
// the last one, and in the times of steps only that one waits for input.
bool AllMakeBatchesAllTheTime(const StepTable& steps) {
  double making = 0;
  for (const StepFigure part : {StepFigure::kRead, StepFigure::kDecode,
                                StepFigure::kAugment, StepFigure::kCopy})
    making += SumOfSteps(steps, part);
  const double whole = SumOfSteps(steps, StepFigure::kSeconds);
  return whole > 0 && making >= kAllMake * whole;
}

// Of several processes the median one's, or the last one's if all make batches
// all the time; of one its own.
InputWaits InputWaitsOf(const RunRecords& run) {
  InputWaits waits;
  const bool all_make = AllMakeBatchesAllTheTime(run.steps);
  for (const HostsStep* step : JudgedSteps(run)) {
    if (all_make) break;
    std::vector<double> input(step->input.begin(), step->input.end());
    waits.seconds.push_back(Median(std::move(input)).value_or(0));
    waits.share.push_back(waits.seconds.back() / step->seconds);
  }
  if (!waits.share.empty()) return waits;
  const StepTable& steps = run.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double seconds = steps[StepFigure::kSeconds][i];
    if (steps.begins[i] || !(seconds > 0)) continue;
    waits.seconds.push_back(steps[StepFigure::kInput][i]);
    waits.share.push_back(waits.seconds.back() / seconds);
  }
  return waits;
}

// What making a batch takes most time for.
std::string SlowestPartOfInput(const StepTable& steps) {
  const std::map<StepFigure, const char*> names = {
      {StepFigure::kRead, "reading"},
      {StepFigure::kDecode, "decode"},
      {StepFigure::kAugment, "augmentation"},
      {StepFigure::kCopy, "copying"}};
  double most = 0;
  std::string slowest = "input";
  for (const auto& [figure, name] : names) {
    const double seconds = Median(steps[figure]).value_or(0);
    if (seconds <= most) continue;
    most = seconds;
    slowest = name;
  }
  return slowest;
}

}  // namespace

std::optional<Finding> SlowHost(const RunRecords& run) {
  const std::vector<const HostsStep*> steps = JudgedSteps(run);
  if (steps.size() < kLeastSteps) return std::nullopt;
  const std::vector<Lag> lags = LagsOf(steps);
  const auto worst = std::max_element(
      lags.begin(), lags.end(),
      [](const Lag& a, const Lag& b) { return a.share < b.share; });
  if (worst->share < kNamedShare || worst->seconds < kLeastLost ||
      worst->last < kMostSteps)
    return std::nullopt;
  const int process = static_cast<int>(worst - lags.begin());
  if (IsByInput(*worst) && !IsSlowedOnPurpose(run, process) &&
      AllMakeBatchesAllTheTime(run.steps))
    return std::nullopt;
  const std::string host = HostsText(run.plan, process);
  const std::string flag = FlagForHost(run, process, *worst);
  return MakeFinding(
      Sickness::kSlowHost, worst->share,
      absl::StrCat(host, lags.size() > 2 ? " is slow" : " is the slower one",
                   ": it comes last in ", ShareText(worst->last),
                   " of the steps, ", WallText(worst->seconds), " behind the ",
                   lags.size() > 2 ? "median" : "other", CauseText(*worst),
                   ", and ", ShareText(worst->share),
                   " of the step waits for it",
                   flag.empty() ? "; see what else runs on its machine" : ""),
      flag);
}

std::optional<Finding> InputBound(const RunRecords& run) {
  const InputWaits waits = InputWaitsOf(run);
  if (waits.share.size() < kLeastSteps) return std::nullopt;
  const double share = Median(waits.share).value_or(0);
  const double seconds = Median(waits.seconds).value_or(0);
  if (share < kNamedShare || seconds < kLeastLost) return std::nullopt;
  return MakeFinding(
      Sickness::kInputBound, share,
      absl::StrCat("input-bound: ", ShareText(share), " of the step waits for ",
                   SlowestPartOfInput(run.steps)),
      MoreInputThreads(run.plan));
}

}  // namespace podsim
