#include "runtime/plan/ladder_table.h"

#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/text_table.h"
#include "base/units.h"
#include "interconnect/timing/network.h"
#include "job/hbm.h"
#include "job/plan_warning.h"
#include "models/zoo/zoo.h"
#include "nlohmann/json.hpp"
#include "runtime/forecast/format_forecast.h"
#include "runtime/job/bucket_traffic_text.h"
#include "runtime/job/plan_texts.h"
#include "runtime/plan/ladder_troubles.h"
#include "runtime/plan/left_out_text.h"

namespace podsim {
namespace {

using ::nlohmann::ordered_json;

const JobPlan& FirstPlan(const Ladder& ladder) {
  for (const LadderRow& row : ladder.rows)
    if (row.status.ok()) return row.plan;
  return ladder.rows.front().plan;
}

std::vector<std::string> LadderCells(const LadderRow& row, double price) {
  const JobForecast& forecast = row.forecast;
  std::vector<std::string> cells = {
      row.slice.name,
      absl::StrCat(row.plan.bits().batch_per_core()),
      absl::StrCat(row.plan.global_batch()),
      absl::StrCat(row.plan.train_steps()),
      absl::StrFormat("%.4g", row.plan.bits().learning_rate().peak()),
      FormatBytes(HbmBytes(row.plan.core_memory())),
      SpanText(forecast.step.total.seconds()),
      forecast.is_unvalidated ? "-" : RangeText(forecast.band),
      FormatCount(std::llround(forecast.examples_per_second())),
      absl::StrFormat("%.0f%%", 100 * row.efficiency),
      SpanText(forecast.seconds()),
      absl::StrFormat("%.3g", forecast.chip_hours())};
  if (price > 0)
    cells.push_back(absl::StrFormat("%.3g", price * forecast.chip_hours()));
  cells.push_back(
      absl::StrCat(BoundOf(forecast), row.plan.warnings().empty() ? "" : " !"));
  return cells;
}

std::string AlgorithmText(const JobForecast& forecast) {
  return forecast.algorithm ? std::string(NameOf(*forecast.algorithm)) : "none";
}

// Ranks: what is left out first on a narrow screen.
TextTable LadderColumns(const Ladder& ladder, double price) {
  TextTable table;
  table.columns = {{.name = "slice", .left = true},
                   {.name = "batch", .rank = 1},
                   {.name = "global", .rank = 5},
                   {.name = "steps", .rank = 4},
                   {.name = "learning rate", .rank = 7},
                   {.name = "HBM", .rank = 8},
                   {.name = "step sim"},
                   {.name = "low to high", .rank = 9},
                   {.name = "examples/s"},
                   {.name = "eff"},
                   {.name = "all steps", .rank = 3},
                   {.name = "chip-hours", .rank = 6}};
  if (price > 0) table.columns.push_back({.name = "price"});
  table.columns.push_back({.name = "bound by", .rank = 2, .left = true});
  for (const LadderRow& row : ladder.rows)
    if (row.status.ok()) table.rows.push_back(LadderCells(row, price));
  return table;
}

std::string CostsText(const Ladder& ladder) {
  std::string text;
  for (const LadderRow& row : ladder.rows) {
    const JobGeography& geography = row.plan.geography();
    for (const BucketPlace& place : geography.buckets())
      if (const std::string cost = MoneyText(place, geography); !cost.empty())
        absl::StrAppend(&text, "# ", row.slice.name, ", ", place.bucket(), ": ",
                        cost, "\n");
  }
  return text;
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

// "link (0,0)-(1,0) at 0.25 of its rate"; "": the row has no
// fault.
std::string FaultText(const LadderRow& row) {
  if (row.slice.link_faults.empty()) return "";
  return LinkFaultText(row.slice.link_faults.front(), row.slice.grid.z > 1);
}

ordered_json JsonRow(const LadderRow& row, double price) {
  ordered_json one;
  one["slice"] = row.slice.name;
  one["topology"] = row.slice.grid_text();
  one["chips"] = row.slice.chips;
  one["replicas"] = row.slice.replicas;
  one["replica_name"] = row.slice.replica_name();
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
  // Null where the step may well be outside.
  one["step_seconds_low"] = nullptr;
  one["step_seconds_high"] = nullptr;
  if (!forecast.is_unvalidated) {
    one["step_seconds_low"] = forecast.band.low.seconds();
    one["step_seconds_high"] = forecast.band.high.seconds();
  }
  one["input_seconds"] = step.input.seconds();
  one["compute_seconds"] = (step.compute + step.update).seconds();
  one["all_reduce_seconds"] = step.communication.seconds();
  one["exposed_seconds"] = step.exposed_communication.seconds();
  one["algorithm"] = AlgorithmText(forecast);
  one["bound_by"] = BoundOf(forecast);
  one["examples_per_second"] = forecast.examples_per_second();
  one["efficiency"] = row.efficiency;
  one["seconds"] = forecast.seconds();
  one["chip_hours"] = forecast.chip_hours();
  if (price > 0) one["price"] = price * forecast.chip_hours();
  if (row.plan.has_geography()) AddGeography(row, one);
  if (const std::string fault = FaultText(row); !fault.empty())
    one["ici_fault"] = fault;
  one["network_note"] = row.slice.network_note;
  one["warnings"] = ordered_json::array();
  for (const std::string& warning : WarningTexts(row.plan))
    one["warnings"].push_back(warning);
  return one;
}

// "core", "chip", or both where generations differ.
std::string ReplicasText(const Ladder& ladder) {
  std::set<std::string> names;
  for (const LadderRow& row : ladder.rows)
    names.insert(row.slice.replica_name());
  return names.size() > 1 ? "core (v2, v3) or chip" : *names.begin();
}

bool IsUnvalidated(const Ladder& ladder) {
  const JobSpec& spec = FirstPlan(ladder).spec();
  return spec.has_model_file() || IsPlanned(spec.model());
}

std::string AboutText(const Ladder& ladder, int columns) {
  const auto comment = [&](const std::string& sentence) {
    return CommentText(sentence, columns);
  };
  std::string text = comment(absl::StrCat(
      LadderJobText(ladder), ", ",
      ladder.strong ? "the same global batch on every slice"
                    : absl::StrCat("the same batch per ", ReplicasText(ladder),
                                   " on every slice")));
  text += comment(
      IsUnvalidated(ladder)
          ? absl::StrCat("all times sim: computed, not measured; ",
                         kUnvalidated)
          : std::string("all times sim: computed, not measured; low to high "
                        "covers the figures of the hardware that are not "
                        "published, not what the model leaves out"));
  for (const LadderRow& row : ladder.rows)
    if (row.status.ok() && !row.slice.link_faults.empty()) {
      text += comment(absl::StrCat("priced with ", FaultText(row)));
      break;
    }
  if (ladder.strong && ladder.rows.size() > 1)
    text += comment(
        "eff. is against the smallest slice with the same global batch, where "
        "a core has more of it");
  if (ladder.is_as_typed && !ladder.strong && ladder.rows.size() > 1)
    text += comment(absl::StrCat(
        "no reference is given: steps and learning rate are as typed on every "
        "slice, as in a run; --reference_topology=",
        ladder.rows.front().slice.name, " scales them from there"));
  std::set<std::string> generations;
  for (const LadderRow& row : ladder.rows)
    if (generations.insert(row.slice.generation).second)
      text += comment(absl::StrCat("links of ", row.slice.generation, ": ",
                                   row.slice.network_note));
  for (const LadderRow& row : ladder.rows)
    if (row.status.ok() && row.forecast.prices_groups_as_whole)
      return text +
             comment("sums among groups of chips are priced as if among all");
  return text;
}

}  // namespace

std::string LadderJobText(const Ladder& ladder) {
  const PlanBits& bits = FirstPlan(ladder).bits();
  return absl::StrCat(bits.model().name(), " on ", bits.dataset().name());
}

std::string FormatLadder(const Ladder& ladder, double price_per_chip_hour,
                         int columns) {
  const TableText table =
      FormatTable(LadderColumns(ladder, price_per_chip_hour), columns);
  const std::string below = FormatTroubles(ladder, columns) + CostsText(ladder);
  return absl::StrCat(AboutText(ladder, columns), "#\n", table.text,
                      LeftOutText(table.left_out, columns),
                      below.empty() ? "" : "#\n", below);
}

std::string FormatLadderJson(const Ladder& ladder, double price_per_chip_hour,
                             const std::string& explanation) {
  ordered_json all;
  all["clock"] = "sim";
  all["job"] = LadderJobText(ladder);
  all["scaling"] = ladder.strong ? "strong" : "weak";
  const JobSpec& spec = FirstPlan(ladder).spec();
  if (spec.has_reference_topology())
    all["reference_topology"] = spec.reference_topology();
  if (IsUnvalidated(ladder)) all["compute_note"] = kUnvalidated;
  all["results"] = ordered_json::array();
  for (const LadderRow& row : ladder.rows)
    all["results"].push_back(JsonRow(row, price_per_chip_hour));
  if (!explanation.empty()) all["explain"] = ordered_json::parse(explanation);
  return all.dump(2) + "\n";
}

}  // namespace podsim
