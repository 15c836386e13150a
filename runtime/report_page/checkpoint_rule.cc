// Checkpoints that hold up training.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/report/median.h"
#include "runtime/report_page/rules.h"

namespace podsim {
namespace {

// One stall alone is named if it takes so many seconds and so many steps.
constexpr double kOneStall = 0.5;
constexpr double kOneStallSteps = 10;
// The same of the wait at the end, which a disk's flush is part of.
constexpr double kEndWait = 1;
constexpr double kEndShare = kNamedShare;
// A flag is named that makes checkpoints cost about this.
constexpr double kWantedShare = 0.05;

// What comes between the steps of a pod: the phase "other" of the step that
// follows, of the process that came last to it.
struct Between {
  std::map<std::int64_t, double> behind;  // by the step before
  double step = 0;                        // of a step, the median
  double whole = 0;                       // of all steps
};

Between BetweenSteps(const StepTable& steps) {
  Between between;
  std::vector<double> seconds;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const double other = steps[StepFigure::kOther][i];
    const double own = steps[StepFigure::kSeconds][i];
    if (steps.begins[i] || !std::isfinite(other) || !std::isfinite(own))
      continue;
    between.behind.emplace_hint(between.behind.end(), steps.step[i - 1], other);
    between.whole += own;
    seconds.push_back(own);
  }
  between.step = Median(std::move(seconds)).value_or(0);
  return between;
}

// Where neither a checkpoint nor an evaluation lies between.
double PlainBetween(const RunRecords& run, const Between& between) {
  std::set<std::int64_t> others;
  for (const CheckpointRecord& each : run.checkpoints) others.insert(each.step);
  for (const EvalRecord& each : run.evals) others.insert(each.step);
  std::vector<double> plain;
  for (const auto& [step, seconds] : between.behind)
    if (!others.contains(step)) plain.push_back(seconds);
  return Median(std::move(plain)).value_or(0);
}

// For how long each checkpoint held up the pod, as far as a step follows it. An
// evaluation in between takes time of its own: then it is the pause alone.
std::vector<double> StallsOf(const RunRecords& run, const Between& between) {
  const double plain = PlainBetween(run, between);
  std::set<std::int64_t> evals;
  for (const EvalRecord& each : run.evals) evals.insert(each.step);
  std::vector<double> stalls;
  for (const CheckpointRecord& each : run.checkpoints) {
    const auto found = between.behind.find(each.step);
    if (each.skipped || found == between.behind.end()) continue;
    const double longer = evals.contains(each.step) ? 0 : found->second - plain;
    stalls.push_back(std::max(each.paused, longer));
  }
  return stalls;
}

// ", host 2 comes last then": one that does in most steps behind checkpoints.
std::string LastHostText(const RunRecords& run) {
  std::set<std::int64_t> behind;
  for (const CheckpointRecord& each : run.checkpoints)
    behind.insert(each.step + 1);
  std::map<int, int> last;
  int steps = 0;
  for (const HostsStep& step : run.hosts_steps) {
    if (step.waited.size() < 2 || !behind.contains(step.step)) continue;
    ++steps;
    ++last[static_cast<int>(
        std::min_element(step.waited.begin(), step.waited.end()) -
        step.waited.begin())];
  }
  for (const auto& [process, count] : last)
    if (steps > 1 && count >= kMostSteps * steps)
      return absl::StrCat(", ", HostsText(run.plan, process),
                          " comes last then");
  return "";
}

bool IsPlanned(const RunRecords& run) {
  return std::any_of(
      run.incidents.begin(), run.incidents.end(), [](const Incident& incident) {
        return incident.kind == Incident::Kind::kFault &&
               incident.what == "SLOW" && incident.phase == "checkpoint";
      });
}

std::string FewerCheckpoints(const RunRecords& run, double share) {
  if (IsPlanned(run)) return "--faults";
  std::int64_t every = 0;
  if (!absl::SimpleAtoi(SettingText(run.plan, "checkpoint_every"), &every) ||
      every <= 0)
    return "--checkpoint_every";
  const double times = std::ceil(share / kWantedShare);
  return absl::StrCat("--checkpoint_every ",
                      every * static_cast<std::int64_t>(times));
}

std::optional<Finding> SkippedSome(const RunRecords& run) {
  const auto skipped =
      std::count_if(run.checkpoints.begin(), run.checkpoints.end(),
                    [](const CheckpointRecord& each) { return each.skipped; });
  if (skipped == 0) return std::nullopt;
  const double share = static_cast<double>(skipped) /
                       static_cast<double>(run.checkpoints.size());
  return MakeFinding(Sickness::kCheckpoint, share,
                     absl::StrCat("checkpoints stall: ", skipped, " of ",
                                  run.checkpoints.size(),
                                  " were skipped, as the store was silent"),
                     "--model_dir");
}

// What changes the wait at the end, in which `late` checkpoints are written. Of
// several the earlier ones were in the way: as many are to be made as the store
// takes while training goes on.
std::string FlagForTheEnd(const RunRecords& run, std::int64_t late,
                          double share) {
  std::int64_t every = 0;
  if (late < 2) return "--model_dir";
  if (!absl::SimpleAtoi(SettingText(run.plan, "checkpoint_every"), &every) ||
      every <= 0)
    return "--checkpoint_every";
  const double times = std::ceil(1 / std::max(1 - share, kWantedShare));
  return absl::StrCat("--checkpoint_every ",
                      every * static_cast<std::int64_t>(times));
}

std::optional<Finding> WaitsAtTheEnd(const RunRecords& run) {
  if (run.checkpoints.empty() || run.steps.size() == 0) return std::nullopt;
  const CheckpointRecord& last = run.checkpoints.back();
  const double end = run.steps.wall_time.back();
  const double wait = last.wall_time - end;
  const double whole = last.wall_time - run.first_wall_time;
  if (last.step != run.steps.step.back() || wait < kEndWait ||
      wait < kEndShare * whole)
    return std::nullopt;
  const auto late = std::count_if(
      run.checkpoints.begin(), run.checkpoints.end(),
      [&](const CheckpointRecord& each) { return each.wall_time > end; });
  return MakeFinding(
      Sickness::kCheckpoint, wait / whole,
      absl::StrCat("the end waits ", WallText(wait), " until the last ",
                   late < 2 ? std::string("checkpoint is")
                            : absl::StrCat(late, " checkpoints are"),
                   " written, ", ShareText(wait / whole), " of the run"),
      FlagForTheEnd(run, late, wait / whole));
}

}  // namespace

std::optional<Finding> CheckpointStalls(const RunRecords& run) {
  if (auto skipped = SkippedSome(run)) return skipped;
  const Between between = BetweenSteps(run.steps);
  const std::vector<double> stalls = StallsOf(run, between);
  if (stalls.empty() || between.whole <= 0) return WaitsAtTheEnd(run);
  const double typical = *Median(stalls);
  const double of_all =
      typical * static_cast<double>(stalls.size()) / between.whole;
  if (typical >= std::max(kLeastStall, between.step) &&
      of_all >= kCheckpointShare)
    return MakeFinding(
        Sickness::kCheckpoint, std::min(1.0, of_all),
        absl::StrCat("checkpoints stall training: each holds it up for ",
                     WallText(typical), ", ", ShareText(std::min(1.0, of_all)),
                     " of the time", LastHostText(run)),
        FewerCheckpoints(run, of_all));
  const double worst = *std::max_element(stalls.begin(), stalls.end());
  if (worst >= std::max(kOneStall, kOneStallSteps * between.step) &&
      worst / between.whole >= kCheckpointShare)
    return MakeFinding(
        Sickness::kCheckpoint, worst / between.whole,
        absl::StrCat("a checkpoint stalls training: it holds it up for ",
                     WallText(worst), ", ", ShareText(worst / between.whole),
                     " of the time"),
        FewerCheckpoints(run, worst / between.whole));
  return WaitsAtTheEnd(run);
}

}  // namespace podsim
