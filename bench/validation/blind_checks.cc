#include "bench/validation/blind_checks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/validation/blind_steps.h"
#include "bench/validation/priced_step.h"

namespace podsim::validation {
namespace {

constexpr char kSources[] = "ML07, ML10, FLAX, HAIKU, BIGV, GPTJAX and TPUCHAT";

std::vector<Row> RowsToday(const std::vector<BlindStep>& steps,
                           const std::vector<PublishedModel>& models) {
  std::vector<Row> rows;
  for (const BlindStep& blind : steps)
    rows.push_back(RowOf(blind.step, models));
  return rows;
}

std::vector<Row> RowsFixed(const std::vector<BlindStep>& steps,
                           const std::vector<PublishedModel>& models) {
  std::vector<Row> rows;
  for (const BlindStep& blind : steps) {
    const FixedForecast& fixed = blind.fixed;
    rows.push_back({WhatOf(blind.step, ModelNamed(models, blind.step.zoo)),
                    "ms",
                    blind.step.milliseconds,
                    fixed.sim,
                    {fixed.low, fixed.high}});
  }
  return rows;
}

// "mean error 5.0 %, worst 9.0 %, 4 of 5 between low and high".
std::string HowNear(const std::vector<Row>& rows) {
  const auto inside = std::count_if(
      rows.begin(), rows.end(), [](const Row& row) { return row.inside(); });
  return absl::StrFormat(
      "mean error %.1f %%, worst %.1f %%, %d of %d between low and high",
      100 * MeanError(rows, 0, 0).value, 100 * WorstError(rows, 0, 0).value,
      inside, rows.size());
}

// The floors of step_checks.cc, which these are not held to.
bool HoldsFloors(const std::vector<Row>& rows) {
  return MeanError(rows, 0, 0).value <= 0.1 &&
         WorstError(rows, 0, 0).value <= 0.25 && ShareInside(rows) >= 0.8;
}

std::string FixedNote(const std::vector<Row>& rows) {
  const std::vector<Row> timed(rows.begin(), rows.begin() + kTimedBlindSteps);
  return absl::StrCat(
      "Steps, bands and which of them count were written down in a change of "
      "their own, before anybody who wrote it had read these figures: ",
      HowNear(rows), ". Logs time the first ", kTimedBlindSteps, " (",
      HowNear(timed),
      "); the others are whole runs over their steps, with input, evaluations "
      "and compilation in them, and so at least the step. The rows above were "
      "known when the ranges were set: believe these. What the steps of whole "
      "slices above are held to, a mean error of 10 %, 25 % at worst and 80 % "
      "between low and high, ",
      HoldsFloors(rows) ? "holds here too." : "does not hold here.");
}

std::vector<PublishedModel> Both(const std::vector<PublishedModel>& known,
                                 const std::vector<PublishedModel>& blind) {
  std::vector<PublishedModel> models = known;
  models.insert(models.end(), blind.begin(), blind.end());
  return models;
}

}  // namespace

Check FixedBlindCheck(const std::vector<PublishedModel>& known,
                      const std::vector<PublishedModel>& blind) {
  Check fixed = {.title = "Steps as they were forecast before a look",
                 .source = kSources,
                 .fitted = "no",
                 .rows = RowsFixed(ScoredBlindSteps(), Both(known, blind))};
  fixed.note = FixedNote(fixed.rows);
  return fixed;
}

std::vector<Check> OtherBlindChecks(const std::vector<PublishedModel>& known,
                                    const std::vector<PublishedModel>& blind) {
  const std::vector<PublishedModel> models = Both(known, blind);
  Check today = {
      .title =
          "Steps that were forecast before a look, as they are forecast "
          "now",
      .source = kSources,
      .fitted = "no",
      .rows = RowsToday(ScoredBlindSteps(), models)};
  today.note = absl::StrCat("Now: ", HowNear(today.rows), ".");
  Check others = {
      .title = "Further steps as they were forecast before a look",
      .source = kSources,
      .note =
          "Transformer-big's figures hold the decoding of the test set; of "
          "v4-4096 the turns of the host weigh; attention of the decoders ran "
          "as a kernel of its own, which keeps no scores in HBM, where the "
          "plain form was planned, and in bfloat16 throughout.",
      .fitted = "no",
      .rows = RowsFixed(OtherBlindSteps(), models)};
  Check others_today = {
      .title =
          "Further steps that were forecast before a look, as they are "
          "forecast now",
      .source = kSources,
      .fitted = "no",
      .rows = RowsToday(OtherBlindSteps(), models)};
  others_today.note = absl::StrCat(
      "Since these figures were read, attention on v5e, v5p, v6e and tpu7x is "
      "planned as a kernel of its own (--attention). Now: ",
      HowNear(others_today.rows), ".");
  return {std::move(today), std::move(others), std::move(others_today)};
}

}  // namespace podsim::validation
