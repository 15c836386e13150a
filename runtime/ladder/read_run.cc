#include "runtime/ladder/read_run.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "nlohmann/json.hpp"

namespace podsim {
namespace {

using ::nlohmann::json;

// JSON has null for what is no number.
double NumberOf(const json& value) {
  return value.is_null() ? NAN : value.get<double>();
}

struct StepRow {
  std::int64_t examples = 0;  // consumed after it
  double loss = 0;
  double seconds = 0;  // wall
  double sim = 0;      // 0: not known
};

StepRow StepOf(const json& line) {
  return {.examples = line.at("examples").get<std::int64_t>(),
          .loss = NumberOf(line.at("loss")),
          .seconds = NumberOf(line.at("seconds")),
          .sim = line.value("simulated_seconds", 0.0)};
}

// What of a file is more than one line's.
struct Lines {
  std::vector<StepRow> steps;
  bool has_summary = false;
};

void TakeSummary(const json& line, RungRun& run) {
  run.steps = line.at("steps").get<std::int64_t>();
  run.examples = line.at("examples").get<std::int64_t>();
  if (line.contains("eval_loss")) run.eval_loss = NumberOf(line["eval_loss"]);
  if (line.contains("eval_accuracy"))
    run.eval_accuracy = NumberOf(line["eval_accuracy"]);
}

void TakeLine(const json& line, Lines& lines, RungRun& run) {
  const std::string event = line.at("event").get<std::string>();
  if (event == "plan") run.plan_hash = line.at("plan_hash").get<std::string>();
  if (event == "step") lines.steps.push_back(StepOf(line));
  if (event == "failure") {
    run.failure = line.at("message").get<std::string>();
    if (run.failure.empty()) run.failure = line.at("how").get<std::string>();
    run.not_finite = IsOfNumbers(run.failure);
  }
  if (event == "summary") {
    lines.has_summary = true;
    TakeSummary(line, run);
  }
}

// The mean over the steps that end in the last tenth of the examples.
double LastLoss(const std::vector<StepRow>& steps) {
  const double begin = 0.9 * static_cast<double>(steps.back().examples);
  double sum = 0;
  int count = 0;
  for (const StepRow& step : steps) {
    if (static_cast<double>(step.examples) <= begin) continue;
    sum += step.loss;
    ++count;
  }
  return sum / count;
}

double MedianSeconds(const std::vector<StepRow>& steps) {
  std::vector<double> seconds;
  seconds.reserve(steps.size());
  for (const StepRow& step : steps) seconds.push_back(step.seconds);
  const auto middle =
      seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

// The first steps may have none: the forecast comes beside them.
void TakeSim(const std::vector<StepRow>& steps, RungRun& run) {
  for (const StepRow& step : steps) {
    if (step.sim <= 0) continue;
    run.sim_step_least = run.sim_step_least > 0
                             ? std::min(run.sim_step_least, step.sim)
                             : step.sim;
    run.sim_step_most = std::max(run.sim_step_most, step.sim);
  }
}

void TakeSteps(const std::vector<StepRow>& steps, RungRun& run) {
  if (steps.empty()) return;
  run.first_loss = steps.front().loss;
  run.last_loss = LastLoss(steps);
  run.wall_step = MedianSeconds(steps);
  TakeSim(steps, run);
  if (run.steps == 0) run.steps = static_cast<std::int64_t>(steps.size());
  if (run.examples == 0) run.examples = steps.back().examples;
}

absl::Status Damaged(const std::string& name, int number,
                     const std::string& why) {
  return absl::DataLossError(
      absl::StrCat(name, " line ", number, " is damaged: ", why));
}

}  // namespace

bool IsOfNumbers(const std::string& failure) {
  return absl::StrContains(failure, "nan at step ") ||
         absl::StrContains(failure, "infinite at step ") ||
         absl::StrContains(failure, "is not finite at step ");
}

absl::StatusOr<RungRun> ReadRun(const std::string& text,
                                const std::string& name, std::uint64_t seed) {
  RungRun run = {.seed = seed};
  Lines lines;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    const json parsed = json::parse(line.begin(), line.end(), nullptr,
                                    /*allow_exceptions=*/false);
    if (!parsed.is_object()) return Damaged(name, number, "it is no JSON");
    try {
      TakeLine(parsed, lines, run);
    } catch (const json::exception& lacking) {
      return Damaged(name, number, lacking.what());
    }
  }
  TakeSteps(lines.steps, run);
  if (!lines.has_summary && run.failure.empty())
    run.failure = "it ended without a summary";
  return run;
}

}  // namespace podsim
