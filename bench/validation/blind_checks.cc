#include "bench/validation/blind_checks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "bench/validation/blind_steps.h"
#include "bench/validation/priced_step.h"

namespace podsim::validation {
namespace {

constexpr char kSources[] = "ML07, ML10, flax, and as each row says";

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

}  // namespace

std::vector<Check> BlindChecks(const std::vector<PublishedModel>& known,
                               const std::vector<PublishedModel>& blind) {
  std::vector<PublishedModel> models = known;
  models.insert(models.end(), blind.begin(), blind.end());
  Check fixed = {.title = "Steps as they were forecast before a look",
                 .source = kSources,
                 .note = "Written down before the published figures were.",
                 .fitted = "no",
                 .rows = RowsFixed(ScoredBlindSteps(), models)};
  Check today = {.title = "The same steps as they are forecast now",
                 .source = kSources,
                 .fitted = "no",
                 .rows = RowsToday(ScoredBlindSteps(), models)};
  Check others = {.title = "Further steps forecast before a look",
                  .source = kSources,
                  .note = "Their figures hold more than steps.",
                  .fitted = "no",
                  .rows = RowsToday(OtherBlindSteps(), models)};
  return {std::move(fixed), std::move(today), std::move(others)};
}

}  // namespace podsim::validation
