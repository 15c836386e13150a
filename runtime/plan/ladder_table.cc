#include "runtime/plan/ladder_table.h"

#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/units.h"
#include "job/hbm.h"
#include "nlohmann/json.hpp"
#include "runtime/forecast/format_forecast.h"
#include "runtime/job/bucket_traffic_text.h"

namespace podsim {
namespace {

using ::nlohmann::ordered_json;

const JobPlan& FirstPlan(const Ladder& ladder) {
  for (const LadderRow& row : ladder.rows)
    if (row.status.ok()) return row.plan;
  return ladder.rows.front().plan;
}

std::string AlgorithmText(const JobForecast& forecast) {
  return forecast.algorithm ? std::string(NameOf(*forecast.algorithm)) : "none";
}

std::string LadderHeading(bool priced) {
  std::string text = absl::StrFormat(
      "#\n# %-12s %7s  %9s  %9s  %8s  %10s  %8s  %8s  %8s  %13s  %5s  %9s  "
      "%10s",
      "slice", "batch", "global", "steps", "rate", "HBM", "step sim", "low",
      "high", "examples/s", "eff", "all steps", "chip-hours");
  if (priced) absl::StrAppendFormat(&text, "  %9s", "price");
  return absl::StrCat(text, "  bound by\n");
}

std::string LadderTextRow(const LadderRow& row, double price) {
  const JobForecast& forecast = row.forecast;
  std::string text = absl::StrFormat(
      "%-14s %7d  %9d  %9d  %8.4g  %10s  %8s  %8s  %8s  %13s  %4.0f%%  %9s  "
      "%10.3g",
      row.slice.name, row.plan.bits().batch_per_core(), row.plan.global_batch(),
      row.plan.train_steps(), row.plan.bits().learning_rate().peak(),
      FormatBytes(HbmBytes(row.plan.core_memory())),
      SpanText(forecast.step.total.seconds()),
      SpanText(forecast.band.low.seconds()),
      SpanText(forecast.band.high.seconds()),
      FormatCount(std::llround(forecast.examples_per_second())),
      100 * row.efficiency, SpanText(forecast.seconds()),
      forecast.chip_hours());
  if (price > 0)
    absl::StrAppendFormat(&text, "  %9.3g", price * forecast.chip_hours());
  return absl::StrCat(text, "  ", BoundOf(forecast.step),
                      row.plan.warnings().empty() ? "" : " !", "\n");
}

// What rows cannot say.
std::string Below(const Ladder& ladder) {
  std::string text;
  for (const LadderRow& row : ladder.rows) {
    if (!row.status.ok())
      absl::StrAppend(&text, "# ", row.slice.name,
                      " has no plan: ", std::string(row.status.message()),
                      "\n");
    for (const std::string& warning : row.plan.warnings())
      absl::StrAppend(&text, "# ", row.slice.name, " ! ", warning, "\n");
    const JobGeography& geography = row.plan.geography();
    for (const BucketPlace& place : geography.buckets())
      if (const std::string cost = MoneyText(place, geography); !cost.empty())
        absl::StrAppend(&text, "# ", row.slice.name, ", ", place.bucket(), ": ",
                        cost, "\n");
  }
  return text.empty() ? text : "#\n" + text;
}

// Where pod and bucket are, and what of the step and of the run that makes.
void AddGeography(const LadderRow& row, ordered_json& one) {
  const JobGeography& geography = row.plan.geography();
  one["zone"] = geography.zone();
  one["buckets"] = ordered_json::array();
  for (const BucketPlace& place : geography.buckets()) {
    ordered_json bucket = {
        {"bucket", place.bucket()},
        {"location", place.location()},
        {"nearness", BucketPlace::Nearness_Name(place.nearness())}};
    if (const std::string cost = MoneyText(place, geography); !cost.empty())
      bucket["cost"] = cost;
    one["buckets"].push_back(std::move(bucket));
  }
  one["store_seconds"] = row.forecast.step.store.seconds();
  if (row.forecast.saves)
    one["checkpoints_seconds"] = row.forecast.saves->seconds();
}

ordered_json JsonRow(const LadderRow& row, double price) {
  ordered_json one;
  one["slice"] = row.slice.name;
  one["topology"] = row.slice.grid_text();
  one["chips"] = row.slice.chips;
  one["replicas"] = row.slice.replicas;
  if (!row.status.ok()) {
    one["refused"] = std::string(row.status.message());
    return one;
  }
  const JobForecast& forecast = row.forecast;
  const SimStep& step = forecast.step;
  one["batch_per_core"] = row.plan.bits().batch_per_core();
  one["global_batch"] = row.plan.global_batch();
  one["train_steps"] = row.plan.train_steps();
  one["learning_rate"] = row.plan.bits().learning_rate().peak();
  one["hbm_bytes_per_core"] = HbmBytes(row.plan.core_memory());
  one["hbm_bytes_available"] = row.plan.core_memory().hbm();
  one["step_seconds"] = step.total.seconds();
  one["step_seconds_low"] = forecast.band.low.seconds();
  one["step_seconds_high"] = forecast.band.high.seconds();
  one["input_seconds"] = step.input.seconds();
  one["compute_seconds"] = (step.compute + step.update).seconds();
  one["all_reduce_seconds"] = step.communication.seconds();
  one["exposed_seconds"] = step.exposed_communication.seconds();
  one["algorithm"] = AlgorithmText(forecast);
  one["bound_by"] = BoundOf(step);
  one["examples_per_second"] = forecast.examples_per_second();
  one["efficiency"] = row.efficiency;
  one["seconds"] = forecast.seconds();
  one["chip_hours"] = forecast.chip_hours();
  if (price > 0) one["price"] = price * forecast.chip_hours();
  if (row.plan.has_geography()) AddGeography(row, one);
  one["network_note"] = row.slice.network_note;
  one["warnings"] = ordered_json::array();
  for (const std::string& warning : row.plan.warnings())
    one["warnings"].push_back(warning);
  return one;
}

std::string AboutText(const Ladder& ladder) {
  std::string text = absl::StrCat(
      "# ", LadderJobText(ladder), ", ",
      ladder.strong ? "the same global batch on every slice"
                    : "the same batch per core on every slice",
      "\n# all times sim: computed, not measured; cores at the chip's peak "
      "rates,\n# of which whole steps reach 40 to 100 %: low and high have "
      "that in them\n");
  if (!ladder.as_typed_on.empty())
    absl::StrAppend(&text, "# length and rate are taken for ",
                    ladder.as_typed_on, ", and scaled from there\n");
  std::set<std::string> generations;
  for (const LadderRow& row : ladder.rows)
    if (generations.insert(row.slice.generation).second)
      absl::StrAppend(&text, "# links of ", row.slice.generation, ": ",
                      row.slice.network_note, "\n");
  for (const LadderRow& row : ladder.rows)
    if (row.status.ok() && row.forecast.prices_groups_as_whole)
      return absl::StrCat(text,
                          "# sums among groups of chips are priced as if among "
                          "all\n");
  return text;
}

}  // namespace

std::string LadderJobText(const Ladder& ladder) {
  const PlanBits& bits = FirstPlan(ladder).bits();
  return absl::StrCat(bits.model().name(), " on ", bits.dataset().name());
}

std::string FormatLadder(const Ladder& ladder, double price_per_chip_hour) {
  std::string text =
      absl::StrCat(AboutText(ladder), LadderHeading(price_per_chip_hour > 0));
  for (const LadderRow& row : ladder.rows)
    if (row.status.ok()) text += LadderTextRow(row, price_per_chip_hour);
  return text + Below(ladder);
}

std::string FormatLadderJson(const Ladder& ladder, double price_per_chip_hour) {
  ordered_json all;
  all["clock"] = "sim";
  all["job"] = LadderJobText(ladder);
  all["scaling"] = ladder.strong ? "strong" : "weak";
  if (!ladder.as_typed_on.empty()) all["as_typed_on"] = ladder.as_typed_on;
  all["results"] = ordered_json::array();
  for (const LadderRow& row : ladder.rows)
    all["results"].push_back(JsonRow(row, price_per_chip_hour));
  return all.dump(2) + "\n";
}

}  // namespace podsim
