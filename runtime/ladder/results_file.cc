#include "runtime/ladder/results_file.h"

#include <google/protobuf/descriptor.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/build.h"
#include "base/status.h"
#include "host/storage/posix_file.h"
#include "host/storage/uri_store.h"
#include "nlohmann/json.hpp"
#include "settings/field_text.h"
#include "settings/setting.h"

namespace podsim {
namespace {

using ::google::protobuf::FieldDescriptor;
using Json = ::nlohmann::ordered_json;

constexpr int kFormat = 1;

// In the bits, or in what pod_plan plans: forecast and length. What is read
// from a path may have moved; the plan's hash tells whether it changed.
bool HasSay(const FieldDescriptor& field) {
  const Setting& rule = SettingOf(field);
  if (rule.stored() || field.name() == "topology") return false;
  return rule.bits() || rule.planned() || field.name() == "ici_algorithm";
}

Json PlanJson(const RungPlan& plan) {
  return {{"chips", plan.chips},
          {"batch_per_core", plan.batch_per_core},
          {"global_batch", plan.global_batch},
          {"steps", plan.steps},
          {"learning_rate", plan.learning_rate},
          {"step_seconds", plan.step_seconds},
          {"efficiency", plan.efficiency},
          {"refused", plan.refused},
          {"beyond_hbm", plan.beyond_hbm}};
}

Json StoredRunJson(const RungRun& run) {
  Json json = {{"seed", run.seed},
               {"plan_hash", run.plan_hash},
               {"steps", run.steps},
               {"examples", run.examples},
               {"failure", run.failure},
               {"not_finite", run.not_finite},
               {"first_loss", run.first_loss},
               {"last_loss", run.last_loss},
               {"sim_step_least", run.sim_step_least},
               {"sim_step_most", run.sim_step_most},
               {"wall_step", run.wall_step}};
  if (run.eval_loss) json["eval_loss"] = *run.eval_loss;
  if (run.eval_accuracy) json["eval_accuracy"] = *run.eval_accuracy;
  return json;
}

Json StoredRungJson(const Rung& rung, const std::string& verdict) {
  Json json = {{"slice", rung.plan.slice},
               {"verdict", verdict},
               {"plan", PlanJson(rung.plan)},
               {"runs", Json::array()}};
  for (const RungRun& run : rung.runs)
    json["runs"].push_back(StoredRunJson(run));
  return json;
}

// Bytes that are not UTF-8 (in a path, say) must not end a ladder.
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// NaN is null in JSON.
double StoredNumber(const Json& value) {
  return value.is_null() ? NAN : value.get<double>();
}

RungPlan PlanOf(const Json& json, const std::string& slice) {
  return {.slice = slice,
          .refused = json.at("refused").get<std::string>(),
          .beyond_hbm = json.at("beyond_hbm").get<bool>(),
          .chips = json.at("chips").get<int>(),
          .batch_per_core = json.at("batch_per_core").get<std::int64_t>(),
          .global_batch = json.at("global_batch").get<std::int64_t>(),
          .steps = json.at("steps").get<std::int64_t>(),
          .learning_rate = StoredNumber(json.at("learning_rate")),
          .step_seconds = StoredNumber(json.at("step_seconds")),
          .efficiency = StoredNumber(json.at("efficiency"))};
}

RungRun RunOf(const Json& json) {
  RungRun run = {.seed = json.at("seed").get<std::uint64_t>(),
                 .plan_hash = json.at("plan_hash").get<std::string>(),
                 .steps = json.at("steps").get<std::int64_t>(),
                 .examples = json.at("examples").get<std::int64_t>(),
                 .failure = json.at("failure").get<std::string>(),
                 .not_finite = json.at("not_finite").get<bool>(),
                 .first_loss = StoredNumber(json.at("first_loss")),
                 .last_loss = StoredNumber(json.at("last_loss"))};
  if (json.contains("eval_loss"))
    run.eval_loss = StoredNumber(json["eval_loss"]);
  if (json.contains("eval_accuracy"))
    run.eval_accuracy = StoredNumber(json["eval_accuracy"]);
  run.sim_step_least = StoredNumber(json.at("sim_step_least"));
  run.sim_step_most = StoredNumber(json.at("sim_step_most"));
  run.wall_step = StoredNumber(json.at("wall_step"));
  return run;
}

void TakeResultsLine(const Json& line, bool is_first, LadderResults& results) {
  if (is_first) {
    results.settings = line.at("settings").get<LadderSettingTexts>();
    return;
  }
  Rung rung = {
      .plan = PlanOf(line.at("plan"), line.at("slice").get<std::string>())};
  for (const Json& run : line.at("runs")) rung.runs.push_back(RunOf(run));
  results.rungs.push_back(std::move(rung));
  results.verdicts.push_back(line.at("verdict").get<std::string>());
}

absl::Status BadResults(const std::string& name, int number,
                        const std::string& why) {
  return absl::DataLossError(
      absl::StrCat(name, " line ", number, " is damaged: ", why,
                   "; begin anew in another --ladder_dir, or remove the file"));
}

std::string Said(const LadderSettingTexts& texts, const std::string& name) {
  const auto found = texts.find(name);
  return found == texts.end() ? "not given" : found->second;
}

}  // namespace

LadderSettingTexts TextsOfJob(const JobSpec& job) {
  LadderSettingTexts texts;
  std::vector<const FieldDescriptor*> fields;
  job.GetReflection()->ListFields(job, &fields);
  for (const FieldDescriptor* field : fields)
    if (HasSay(*field)) texts[FlagOf(*field)] = FieldText(job, *field);
  return texts;
}

std::string DifferenceOf(const LadderSettingTexts& now,
                         const LadderSettingTexts& then) {
  LadderSettingTexts all = now;
  all.insert(then.begin(), then.end());
  std::vector<std::string> differences;
  for (const auto& [name, text] : all) {
    const std::string here = Said(now, name);
    const std::string there = Said(then, name);
    if (here != there)
      differences.push_back(
          absl::StrCat(name, " is ", here, ", and was ", there, " there"));
  }
  return absl::StrJoin(differences, "; ");
}

std::string FormatResults(const LadderResults& results) {
  std::string text = absl::StrCat(Dump({{"ladder", kFormat},
                                        {"build", BuildId()},
                                        {"settings", results.settings}}),
                                  "\n");
  for (std::size_t i = 0; i < results.rungs.size(); ++i)
    absl::StrAppend(&text,
                    Dump(StoredRungJson(results.rungs[i], results.verdicts[i])),
                    "\n");
  return text;
}

absl::StatusOr<LadderResults> ParseResults(const std::string& text,
                                           const std::string& name) {
  LadderResults results;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (line.empty() && number > 1) continue;
    const Json parsed = Json::parse(line.begin(), line.end(), nullptr,
                                    /*allow_exceptions=*/false);
    if (!parsed.is_object()) return BadResults(name, number, "it is no JSON");
    if (number == 1 && parsed.value("ladder", Json()) != kFormat)
      return BadResults(name, number, "no ladder of this podsim begins so");
    try {
      TakeResultsLine(parsed, number == 1, results);
    } catch (const Json::exception& lacking) {
      return BadResults(name, number, lacking.what());
    }
  }
  return results;
}

absl::StatusOr<LadderResults> ReadResults(const std::string& path) {
  PODSIM_ASSIGN_OR_RETURN(const std::string text, NewUriStore()->Read(path));
  return ParseResults(text, path);
}

absl::Status WriteResults(const std::string& path,
                          const LadderResults& results) {
  std::atomic<std::uint64_t> counter = 0;
  return WriteFileAtomically(path, FormatResults(results), counter);
}

}  // namespace podsim
