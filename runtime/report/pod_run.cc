#include "runtime/report/pod_run.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/text_layout.h"
#include "base/units.h"

namespace podsim {
namespace {

// Of a run or a step, what is left out of the brief text.
constexpr double kLeastOfRun = 0.01;
constexpr double kLeastOfStep = 0.005;

// How much of the job's evaluations and checkpoints belongs to this run.
double ShareOfJob(const RunSummary& summary) {
  const std::int64_t steps = summary.forecast->steps;
  if (steps <= 0) return 0;
  return std::min(1.0, static_cast<double>(summary.steps_made) /
                           static_cast<double>(steps));
}

}  // namespace

std::optional<PodRun> PodRunOf(const RunSummary& summary) {
  const double steps = summary.pod.total().seconds();
  if (!summary.forecast || steps <= 0) return std::nullopt;
  const JobForecast& forecast = *summary.forecast;
  const double share = ShareOfJob(summary);
  PodRun run = {
      .start_up = (1 + summary.restarts) * forecast.start_up.seconds(),
      .steps = steps,
      .evaluation = share * forecast.evaluation_seconds,
      .checkpoints = (forecast.saves ? share * forecast.saves->seconds() : 0) +
                     summary.pod.checkpoint.seconds(),
      .input = summary.pod.input.seconds() / steps};
  run.chip_hours = run.seconds() * forecast.chips / 3600;
  const double most =
      forecast.peak_flops * steps / static_cast<double>(summary.steps_made);
  if (forecast.model_flops > 0 && most > 0)
    run.mfu = forecast.model_flops / most;
  return run;
}

std::string PodRunText(const PodRun& run, const RunSummary& summary,
                       bool verbose) {
  std::vector<std::string> parts;
  const auto add = [&](const std::string& name, double seconds) {
    parts.push_back(Tied(absl::StrCat(name, " ", SpanText(seconds))));
  };
  const auto add_if = [&](const char* name, double seconds) {
    const double least = verbose ? 0 : kLeastOfRun * run.seconds();
    if (seconds > least) add(name, seconds);
  };
  if (run.start_up > 0)
    add(summary.restarts == 0 ? "start-up"
                              : FormatCounted(1 + summary.restarts, "start-up"),
        run.start_up);
  add("steps", run.steps);
  add_if("evaluation", run.evaluation);
  add_if("checkpoints", run.checkpoints);
  std::string text = absl::StrCat(Tied(SpanText(run.seconds()) + " sim"), ": ",
                                  absl::StrJoin(parts, ", "));
  if (run.mfu)
    absl::StrAppend(&text, "; ", Tied("MFU " + PercentText(*run.mfu)));
  if (verbose)
    absl::StrAppend(&text, "; ",
                    Tied(AmountText(run.chip_hours) + " chip-hours"));
  return text;
}

std::string PodPhasesText(const RunSummary& summary, bool verbose) {
  const double total = summary.pod.total().seconds();
  std::vector<std::string> parts;
  const auto add = [&](const char* name, SimSum time) {
    const double share = time.seconds() / total;
    if (share < (verbose ? 1e-9 : kLeastOfStep)) return;
    parts.push_back(
        verbose ? Tied(absl::StrCat(
                      name, " ",
                      SpanText(time.seconds() /
                               static_cast<double>(summary.steps_made)),
                      absl::StrFormat(" (%.0f%%)", 100 * share)))
                : Tied(absl::StrFormat("%s %.0f%%", name, 100 * share)));
  };
  add("input", summary.pod.input);
  add("compute", summary.pod.compute);
  add(verbose ? "exposed all-reduce" : "all-reduce", summary.pod.reduce);
  add("update", summary.pod.update);
  add("fixed", summary.pod.fixed);
  return absl::StrJoin(parts, ", ");
}

}  // namespace podsim
