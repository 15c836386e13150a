#include "runtime/plan/ladder_json.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "interconnect/timing/network.h"
#include "job/hbm.h"
#include "job/plan_warning.h"
#include "nlohmann/json.hpp"
#include "runtime/job/bucket_traffic_text.h"
#include "runtime/plan/knee.h"
#include "runtime/plan/ladder_table.h"
#include "runtime/plan/which_text.h"

namespace podsim {
namespace {

using ::nlohmann::ordered_json;

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

std::string AlgorithmText(const JobForecast& forecast) {
  return forecast.algorithm ? std::string(NameOf(*forecast.algorithm)) : "none";
}

void AddPlan(const JobPlan& plan, ordered_json& one) {
  one["batch_per_core"] = plan.bits().batch_per_core();
  one["global_batch"] = plan.global_batch();
  one["train_steps"] = plan.train_steps();
  one["learning_rate"] = plan.bits().learning_rate().peak();
  one["hbm_bytes_per_core"] = HbmBytes(plan.core_memory());
  one["hbm_bytes_available"] = plan.core_memory().hbm();
}

void AddStep(const JobForecast& forecast, ordered_json& one) {
  const SimStep& step = forecast.step;
  one["step_seconds"] = step.total.seconds();
  one["step_seconds_low"] = forecast.band.low.seconds();
  one["step_seconds_high"] = forecast.band.high.seconds();
  one["fixed_seconds"] = step.fixed.seconds();
  one["step_seconds_without_fixed_cost"] = (step.total - step.fixed).seconds();
  one["input_seconds"] = step.input.seconds();
  one["compute_seconds"] = (step.compute + step.update).seconds();
  one["all_reduce_seconds"] = step.communication.seconds();
  one["exposed_seconds"] = step.exposed_communication.seconds();
  one["algorithm"] = AlgorithmText(forecast);
  one["bound_by"] = BoundOf(forecast);
}

void AddRates(const LadderRow& row, std::int64_t tokens_per_example,
              ordered_json& one) {
  const JobForecast& forecast = row.forecast;
  const double rate = forecast.examples_per_second();
  one["examples_per_second"] = rate;
  one["tokens_per_second"] = nullptr;
  if (tokens_per_example > 0)
    one["tokens_per_second"] = rate * static_cast<double>(tokens_per_example);
  one["efficiency"] = row.efficiency;
  one["efficiency_low"] = row.efficiency_low;
  one["efficiency_high"] = row.efficiency_high;
  one["mfu"] = forecast.mfu();
  one["model_flops"] = forecast.model_flops;
  one["recomputed_flops"] = forecast.recomputed_flops;
  one["recomputed_share"] = RecomputedShare(forecast);
}

void AddBand(const std::string& name, const RunBand& band, ordered_json& one) {
  one[name] = band.forecast;
  one[name + "_low"] = band.low;
  one[name + "_high"] = band.high;
}

// How the row stands to the limits that are given.
void AddStanding(const LadderRow& row, const LadderQuestion& asked,
                 ordered_json& one) {
  const Limits& limits = asked.limits;
  if (limits.deadline_seconds)
    one["deadline"] =
        StandingText(StandingOf(RunSeconds(row), *limits.deadline_seconds));
  if (limits.budget)
    one["budget"] =
        StandingText(StandingOf(RunCost(row, asked.prices), *limits.budget));
}

void AddSharding(const ShardingGain& gain, ordered_json& one) {
  one["step_seconds_without_sharded_update"] = gain.whole_step.seconds();
  one["sharded_update_saves"] = gain.saved.forecast;
  one["sharded_update_saves_low"] = gain.saved.low;
  one["sharded_update_saves_high"] = gain.saved.high;
}

void AddRun(const LadderRow& row, const ChipHourPrices& prices,
            ordered_json& one) {
  const JobForecast& forecast = row.forecast;
  one["seconds"] = forecast.seconds();
  one["chip_hours"] = forecast.chip_hours();
  one["start_up_seconds"] = forecast.start_up.seconds();
  one["evaluation_seconds"] = forecast.evaluation_seconds;
  AddBand("run_seconds", RunSeconds(row), one);
  const RunBand chip_hours = RunChipHours(row);
  AddBand("run_chip_hours",
          {forecast.run_chip_hours(), chip_hours.low, chip_hours.high}, one);
  if (prices.given()) AddBand("price", RunCost(row, prices), one);
}

ordered_json OrNull(std::optional<double> value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json MeasuredJson(const MeasuredRun& run) {
  return {{"path", run.path},
          {"steps", run.steps},
          {"step_seconds_wall", OrNull(run.step_seconds)},
          {"simulated_step_seconds", OrNull(run.sim_step_seconds)},
          {"examples_per_second_wall", OrNull(run.examples_per_second)},
          {"loss", OrNull(run.loss)},
          {"eval_loss", OrNull(run.eval_loss)}};
}

ordered_json JsonRow(const LadderRow& row, const Ladder& ladder,
                     const LadderQuestion& asked) {
  ordered_json one;
  one["slice"] = row.slice.name;
  one["generation"] = row.slice.generation;
  one["topology"] = row.slice.grid_text();
  one["chips"] = row.slice.chips;
  one["replicas"] = row.slice.replicas;
  one["replica_name"] = row.slice.replica_name();
  if (!row.status.ok()) {
    one["refused"] = std::string(row.status.message());
    return one;
  }
  AddPlan(row.plan, one);
  AddStep(row.forecast, one);
  AddRates(row, ladder.tokens_per_example, one);
  if (row.sharding) AddSharding(*row.sharding, one);
  AddRun(row, asked.prices, one);
  AddStanding(row, asked, one);
  if (row.measured) one["measured"] = MeasuredJson(*row.measured);
  if (row.plan.has_geography()) AddGeography(row, one);
  if (const std::string fault = LinkFaultsText(row.slice); !fault.empty())
    one["ici_fault"] = fault;
  one["network_note"] = row.slice.network_note;
  one["warnings"] = ordered_json::array();
  for (const std::string& warning : WarningTexts(row.plan))
    one["warnings"].push_back(warning);
  return one;
}

ordered_json KneesJson(const Ladder& ladder) {
  ordered_json knees = ordered_json::array();
  for (const Knee& knee : KneesOf(ladder)) {
    const LadderRow& row = ladder.rows[knee.row];
    knees.push_back({{"generation", row.slice.generation},
                     {"slice", row.slice.name},
                     {"efficiency", row.efficiency},
                     {"efficiency_low", row.efficiency_low},
                     {"efficiency_high", row.efficiency_high},
                     {"slice_low", ladder.rows[knee.row_low].slice.name},
                     {"slice_high", ladder.rows[knee.row_high].slice.name}});
  }
  return knees;
}

ordered_json NamedJson(const Ladder& ladder, const ChipHourPrices& prices,
                       const std::optional<NamedSlice>& named) {
  if (!named) return nullptr;
  const LadderRow& row = ladder.rows[named->row];
  ordered_json one;
  one["slice"] = row.slice.name;
  AddBand("run_seconds", named->seconds, one);
  AddBand("run_chip_hours", named->chip_hours, one);
  if (prices.given()) AddBand("price", named->cost, one);
  one["holds"] = named->holds;
  one["of_limit"] = named->of_limit;
  const std::vector<DoubtShare> shares = RunShares(row);
  one["low_moved_by"] = MostBelow(shares);
  one["high_moved_by"] = MostAbove(shares);
  return one;
}

ordered_json NamesJson(const Ladder& ladder,
                       const std::vector<std::size_t>& rows) {
  ordered_json names = ordered_json::array();
  for (const std::size_t row : rows)
    names.push_back(ladder.rows[row].slice.name);
  return names;
}

ordered_json WhichJson(const Ladder& ladder, const LadderQuestion& asked) {
  const WhichSlice which = ChooseSlices(ladder, asked.prices, asked.limits);
  ordered_json all;
  all["deadline_seconds"] = OrNull(which.limits.deadline_seconds);
  all["budget"] = OrNull(which.limits.budget);
  all["cheapest"] = NamedJson(ladder, asked.prices, which.cheapest);
  all["cheapest_ties"] = NamesJson(ladder, which.cheapest_ties);
  all["fastest"] = NamedJson(ladder, asked.prices, which.fastest);
  all["fastest_ties"] = NamesJson(ladder, which.fastest_ties);
  all["nearest"] = NamedJson(ladder, asked.prices, which.nearest);
  all["says"] = WhichSentences(ladder, asked.prices, which);
  return all;
}

}  // namespace

std::string FormatLadderJson(const Ladder& ladder, const LadderQuestion& asked,
                             const std::string& explanation) {
  ordered_json all;
  all["clock"] = "sim";
  all["job"] = LadderJobText(ladder);
  all["scaling"] = ladder.strong ? "strong" : "weak";
  if (ladder.largest_batch) all["largest_batch"] = true;
  if (ladder.tokens_per_example > 0)
    all["tokens_per_example"] = ladder.tokens_per_example;
  const JobSpec& spec = FirstPlan(ladder).spec();
  if (spec.has_reference_topology())
    all["reference_topology"] = spec.reference_topology();
  if (!asked.prices.currency.empty()) all["currency"] = asked.prices.currency;
  all["results"] = ordered_json::array();
  for (const LadderRow& row : ladder.rows)
    all["results"].push_back(JsonRow(row, ladder, asked));
  if (!ladder.measured_notes.empty())
    all["measured_notes"] = ladder.measured_notes;
  all["knees"] = KneesJson(ladder);
  if (asked.limits.given()) all["which"] = WhichJson(ladder, asked);
  if (!explanation.empty()) all["explain"] = ordered_json::parse(explanation);
  return all.dump(2) + "\n";
}

}  // namespace podsim
