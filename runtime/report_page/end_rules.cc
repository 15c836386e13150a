// How the run ended, and what it learned.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/report_page/rules.h"

namespace podsim {
namespace {

// "host2 was killed by signal 9 (SIGKILL)", "in step 12, all-reduce".
std::string WhereText(const FailureRecord& failure) {
  return absl::StrCat(
      failure.step > 0 ? absl::StrCat("in step ", failure.step)
                       : std::string("before the first step"),
      failure.phase.empty() ? "" : absl::StrCat(", ", failure.phase));
}

}  // namespace

std::optional<Finding> Failed(const RunRecords& run) {
  if (!run.failure) return std::nullopt;
  const FailureRecord& failure = *run.failure;
  std::string what =
      absl::StrCat("failed ", WhereText(failure), ": ", failure.process,
                   failure.how.empty() ? "" : absl::StrCat(" ", failure.how));
  if (!failure.message.empty())
    absl::StrAppend(&what, ": ", Shortened(failure.message));
  const bool restarts = SettingText(run.plan, "max_restarts", "0") != "0";
  return MakeFinding(Sickness::kFailed, 1, what,
                     restarts ? "" : "--max_restarts");
}

std::optional<Finding> Diverged(const RunRecords& run) {
  const std::vector<double>& losses = run.steps[StepFigure::kLoss];
  const auto first = std::find_if(losses.begin(), losses.end(),
                                  [](double loss) { return std::isinf(loss); });
  if (first == losses.end()) return std::nullopt;
  const auto row = static_cast<std::size_t>(first - losses.begin());
  return MakeFinding(
      Sickness::kDiverged, 1,
      absl::StrCat("training has diverged: the loss is no number from step ",
                   run.steps.step[row], " on"),
      run.plan.learning_rate > 0
          ? absl::StrFormat("--learning_rate %.3g", run.plan.learning_rate / 2)
          : "--learning_rate");
}

std::optional<Finding> Restarted(const RunRecords& run) {
  std::int64_t restarts = 0;
  const Incident* first = nullptr;
  for (const Incident& incident : run.incidents) {
    if (incident.kind != Incident::Kind::kRestart) continue;
    ++restarts;
    if (first == nullptr) first = &incident;
  }
  if (first == nullptr) return std::nullopt;
  const double whole = run.last_wall_time - run.first_wall_time;
  return MakeFinding(
      Sickness::kRestarts, whole > 0 ? run.seconds_lost / whole : 0,
      absl::StrCat(restarts, restarts == 1 ? " restart, " : " restarts, ",
                   run.steps_lost, run.steps_lost == 1 ? " step" : " steps",
                   " made again; the first: ", Shortened(first->what)),
      run.steps_lost > 0 ? "--checkpoint_every" : "");
}

std::optional<Finding> RecipeMissed(const RunRecords& run) {
  if (!run.summary || run.summary->recipe_kept.value_or(true) ||
      !run.summary->eval_accuracy || !run.summary->recipe_accuracy)
    return std::nullopt;
  // Cut short on purpose.
  if (run.plan.total_examples < run.summary->recipe_examples)
    return std::nullopt;
  return MakeFinding(
      Sickness::kRecipe,
      *run.summary->recipe_accuracy - *run.summary->eval_accuracy,
      absl::StrFormat("eval accuracy %.2f%% is below the recipe's %.2f%%, with "
                      "a global batch of %d in %d steps",
                      100 * *run.summary->eval_accuracy,
                      100 * *run.summary->recipe_accuracy,
                      run.plan.global_batch, run.plan.train_steps),
      "--train_batch_size");
}

}  // namespace podsim
