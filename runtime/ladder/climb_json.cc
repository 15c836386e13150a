#include "runtime/ladder/climb_json.h"

#include <cstddef>
#include <optional>

#include "nlohmann/json.hpp"

namespace podsim {
namespace {

using ::nlohmann::ordered_json;

ordered_json OrNull(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json TextOrNull(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

ordered_json BandJson(const Climb& climb) {
  if (climb.verdicts.empty() || !climb.verdicts.front().passed())
    return nullptr;
  const LossBand band = BandOf(climb.rungs.front().runs);
  return {{"of", band.of_eval ? "eval_loss" : "train_loss"},
          {"seeds", band.seeds},
          {"mean", band.mean},
          {"standard_deviation", band.deviation},
          {"low", band.low()},
          {"high", band.high()},
          {"accuracy", OrNull(MeanAccuracy(climb.rungs.front().runs))}};
}

ordered_json RunJson(const RungRun& run) {
  return {{"seed", run.seed},
          {"plan_hash", run.plan_hash},
          {"steps", run.steps},
          {"examples", run.examples},
          {"train_loss", run.last_loss},
          {"eval_loss", OrNull(run.eval_loss)},
          {"eval_accuracy", OrNull(run.eval_accuracy)},
          {"simulated_step_seconds", run.sim_step_most},
          {"wall_step_seconds", run.wall_step},
          {"failure", TextOrNull(run.failure)}};
}

void AddPlan(const RungPlan& plan, ordered_json& one) {
  if (!plan.refused.empty()) {
    one["refused"] = plan.refused;
    return;
  }
  one["batch_per_core"] = plan.batch_per_core;
  one["global_batch"] = plan.global_batch;
  one["train_steps"] = plan.steps;
  one["learning_rate"] = plan.learning_rate;
  one["step_seconds"] = plan.step_seconds;
  one["efficiency"] = plan.efficiency;
}

ordered_json RungJson(const Climb& climb, std::size_t i) {
  const Rung& rung = climb.rungs[i];
  ordered_json one;
  one["slice"] = rung.plan.slice;
  one["chips"] = rung.plan.chips;
  AddPlan(rung.plan, one);
  const bool judged = i < climb.verdicts.size();
  one["verdict"] = judged ? NameOf(climb.verdicts[i].fault) : "not run";
  one["reason"] = TextOrNull(judged ? climb.verdicts[i].reason : "");
  one["change"] = TextOrNull(judged ? climb.verdicts[i].change : "");
  one["runs"] = ordered_json::array();
  for (const RungRun& run : rung.runs) one["runs"].push_back(RunJson(run));
  return one;
}

}  // namespace

std::string FormatClimbJson(const Climb& climb) {
  const RungPlan& first = climb.rungs.front().plan;
  ordered_json all;
  all["job"] = climb.job;
  all["scaling"] = climb.strong ? "strong" : "weak";
  all["examples"] = first.steps * first.global_batch;
  all["until_efficiency"] = OrNull(climb.limits.least_efficiency);
  all["band"] = BandJson(climb);
  all["passed"] = climb.done() && !climb.failed();
  const bool failed = climb.failed();
  all["stopped_at"] = TextOrNull(
      failed ? climb.rungs[climb.verdicts.size() - 1].plan.slice : "");
  all["reason"] = TextOrNull(failed ? climb.verdicts.back().reason : "");
  all["change"] = TextOrNull(failed ? climb.verdicts.back().change : "");
  all["rungs"] = ordered_json::array();
  for (std::size_t i = 0; i < climb.rungs.size(); ++i)
    all["rungs"].push_back(RungJson(climb, i));
  // Bytes that are not UTF-8 (in a path, say) must not end a ladder.
  return all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace podsim
