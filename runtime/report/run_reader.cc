#include "runtime/report/run_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "job/phases.h"

namespace podsim {
namespace {

using ParsedJson = nlohmann::json;

// A pod of 4096 processes writes 100 KB a step; a line beyond this is no
// record, and of a file without newlines no more is kept.
constexpr std::size_t kLongestLine = 16 << 20;
// Of a model's own metrics, and of unknown phases, that many have columns.
constexpr std::size_t kMostOwn = 64;

constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();

// Of a step's phases, before their names.
constexpr std::string_view kPhaseKey = "seconds_";

// By StepFigure.
constexpr const char* kKeys[kStepFigures] = {"loss",
                                             "accuracy",
                                             "learning_rate",
                                             "examples_per_second",
                                             "seconds",
                                             "seconds_input",
                                             "seconds_compute",
                                             "seconds_reduce",
                                             "seconds_update",
                                             "seconds_other",
                                             "seconds_input_read",
                                             "seconds_input_decode",
                                             "seconds_input_augment",
                                             "seconds_input_copy",
                                             "simulated_seconds"};

constexpr bool PhasesHaveTheirKeys() {
  for (std::size_t i = 0; i < kPhaseNames.size(); ++i) {
    const std::string_view key = kKeys[static_cast<int>(kPhaseFigures[i])];
    if (key.substr(kPhaseKey.size()) != kPhaseNames[i].name) return false;
  }
  return true;
}
static_assert(PhasesHaveTheirKeys());

// What follows kPhaseKey in a key of a step that is no unknown phase's.
bool IsKnown(std::string_view name) {
  return name.starts_with("input_") || IsIn(kPhaseNames, name) ||
         IsIn(kWorkNames, name);
}

// Behind the `row` figures of each column; where there is none, as before a
// column's first one, NaN.
void AddFigures(const std::map<std::string, double>& figures, std::size_t row,
                std::map<std::string, std::vector<double>>& columns) {
  for (const auto& [name, value] : figures) {
    if (columns.size() >= kMostOwn && !columns.contains(name)) continue;
    std::vector<double>& column = columns[name];
    column.resize(row, kNoFigure);
    column.push_back(value);
  }
  for (auto& [name, column] : columns) column.resize(row + 1, kNoFigure);
}

}  // namespace

// One record, whose keys are asked for with what stands for a missing one.
struct RunReader::Line {
  const ParsedJson& json;

  const ParsedJson* Find(const char* key) const {
    const auto found = json.find(key);
    return found == json.end() ? nullptr : &*found;
  }
  double Number(const char* key, double otherwise = kNoFigure) const {
    const ParsedJson* value = Find(key);
    return value != nullptr && value->is_number() ? value->get<double>()
                                                  : otherwise;
  }
  // Of a step: null is what JSON has for a number that is not finite.
  double Measured(const char* key) const {
    const ParsedJson* value = Find(key);
    return value != nullptr && value->is_null()
               ? std::numeric_limits<double>::infinity()
               : Number(key);
  }
  std::optional<double> MaybeNumber(const char* key) const {
    const double value = Number(key);
    return std::isnan(value) ? std::nullopt : std::optional<double>(value);
  }
  std::int64_t Integer(const char* key) const {
    const ParsedJson* value = Find(key);
    if (value == nullptr || !value->is_number()) return 0;
    if (value->is_number_integer()) return value->get<std::int64_t>();
    const double number = value->get<double>();
    return std::abs(number) < 9e18 ? static_cast<std::int64_t>(number) : 0;
  }
  int Int(const char* key) const {
    return static_cast<int>(std::clamp<std::int64_t>(Integer(key), 0, 1 << 30));
  }
  std::string Text(const char* key, const std::string& otherwise = "") const {
    const ParsedJson* value = Find(key);
    return value != nullptr && value->is_string() ? value->get<std::string>()
                                                  : otherwise;
  }
  bool Bool(const char* key) const {
    const ParsedJson* value = Find(key);
    return value != nullptr && value->is_boolean() && value->get<bool>();
  }
  std::vector<std::string> Texts(const char* key) const {
    std::vector<std::string> texts;
    const ParsedJson* value = Find(key);
    if (value == nullptr || !value->is_array()) return texts;
    for (const ParsedJson& each : *value)
      if (each.is_string()) texts.push_back(each.get<std::string>());
    return texts;
  }
  // Numbers of an object, by name.
  std::map<std::string, double> Numbers(const char* key) const {
    std::map<std::string, double> numbers;
    const ParsedJson* value = Find(key);
    if (value == nullptr || !value->is_object()) return numbers;
    for (const auto& [name, each] : value->items())
      numbers[name] = each.is_number() ? each.get<double>() : kNoFigure;
    return numbers;
  }
  // Of a step: those of keys "seconds_<name>" that are no others.
  std::map<std::string, double> UnknownPhases() const {
    std::map<std::string, double> phases;
    for (const auto& [key, each] : json.items()) {
      if (!key.starts_with(kPhaseKey) || !each.is_number()) continue;
      const std::string name = key.substr(kPhaseKey.size());
      if (!IsKnown(name)) phases[name] = each.get<double>();
    }
    return phases;
  }
  // Microseconds as seconds.
  std::vector<float> Seconds(const char* key) const {
    std::vector<float> seconds;
    const ParsedJson* value = Find(key);
    if (value == nullptr || !value->is_array()) return seconds;
    seconds.reserve(value->size());
    for (const ParsedJson& each : *value)
      seconds.push_back(each.is_number() ? 1e-6F * each.get<float>() : 0.0F);
    return seconds;
  }
};

RunReader::RunReader(std::string path) : splitter_(kLongestLine) {
  run_.path = std::move(path);
}

RunReader::~RunReader() = default;

void RunReader::Add(std::string_view piece) {
  splitter_.Add(piece, [this](std::optional<std::string_view> line) {
    TakeLine(line, /*is_last=*/false);
  });
}

RunRecords RunReader::Finish() {
  splitter_.Finish([this](std::optional<std::string_view> line) {
    TakeLine(line, /*is_last=*/true);
  });
  return std::move(run_);
}

// nullopt: it is too long, and no record.
void RunReader::TakeLine(std::optional<std::string_view> line, bool is_last) {
  if (line) return AddLine(*line, is_last);
  ++lines_;
  AddBadLine(/*is_last=*/false);
}

void RunReader::AddBadLine(bool is_last) {
  if (run_.first_bad_line == 0) run_.first_bad_line = lines_;
  if (is_last) {
    run_.cut_off = true;
  } else {
    ++run_.bad_lines;
  }
}

void RunReader::AddLine(std::string_view line, bool is_last) {
  ++lines_;
  if (line.find_first_not_of(" \t\r") == line.npos) return;
  const ParsedJson json = ParsedJson::parse(line.begin(), line.end(), nullptr,
                                            /*allow_exceptions=*/false);
  if (!json.is_object() || !AddRecord(Line{json})) AddBadLine(is_last);
}

bool RunReader::AddRecord(const Line& line) {
  const std::string event = line.Text("event");
  // A step without its number would be taken for the first.
  if (event.empty() || (event == "step" && std::isnan(line.Number("step"))))
    return false;
  const double wall_time = line.Number("wall_time", 0);
  if (wall_time > 0) {
    double& first = run_.first_wall_time;
    first = first == 0 ? wall_time : std::min(first, wall_time);
    run_.last_wall_time = std::max(run_.last_wall_time, wall_time);
  }
  if (event == "step") {
    OnStep(line);
  } else if (event == "plan") {
    OnPlan(line);
  } else if (event == "forecast") {
    OnForecast(line);
  } else if (event == "eval") {
    OnEval(line);
  } else if (event == "checkpoint" || event == "checkpoint_skipped") {
    OnCheckpoint(line, event == "checkpoint_skipped");
  } else if (event == "restart") {
    OnIncident(line, Incident::Kind::kRestart);
  } else if (event == "resume") {
    OnIncident(line, Incident::Kind::kResume);
  } else if (event == "fault") {
    OnIncident(line, Incident::Kind::kFault);
  } else if (event == "failure") {
    OnFailure(line);
  } else if (event == "summary") {
    OnSummary(line);
  } else if (line.Find("proto") == nullptr) {  // none of a job's
    has_others_ = true;
    return true;
  }
  ++records_;
  return true;
}

// A job that goes on after its end, or after a failure, has a plan again.
void RunReader::OnPlan(const Line& line) {
  begins_ = true;
  run_.summary.reset();
  if (run_.failure.has_value())
    run_.incidents.push_back(
        {.kind = Incident::Kind::kRestart,
         .wall_time = run_.failure->wall_time,
         .step = run_.failure->step,
         .what = absl::StrCat(run_.failure->process, " ", run_.failure->how)});
  run_.failure.reset();
  PlanRecord& plan = run_.plan;
  plan = {.hash = line.Text("plan_hash"),
          .slice = line.Text("slice"),
          .model = line.Text("model"),
          .dataset = line.Text("dataset"),
          .replica = line.Text("replica_name", "core"),
          .command = line.Text("command"),
          .cpu = line.Text("cpu"),
          .cpus = line.Int("cpus"),
          .hosts = line.Int("hosts"),
          .cores = line.Int("cores"),
          .processes = line.Int("processes"),
          .batch_per_core = line.Integer("batch_per_core"),
          .global_batch = line.Integer("global_batch"),
          .train_steps = line.Integer("train_steps"),
          .total_examples = line.Integer("total_examples"),
          .learning_rate = line.Number("learning_rate", 0),
          .optimizer = line.Text("optimizer"),
          .hbm_bytes = line.Integer("hbm_bytes_per_core"),
          .hbm_available = line.Integer("hbm_bytes_available"),
          .bytes_per_process = line.Integer("memory_bytes_per_process"),
          .bytes_per_host = line.Integer("memory_bytes_per_host"),
          .warnings = line.Texts("warnings")};
  if (const ParsedJson* settings = line.Find("settings");
      settings != nullptr && settings->is_object())
    for (const auto& [name, value] : settings->items())
      plan.settings[name] =
          value.is_string() ? value.get<std::string>() : value.dump();
  for (const auto& [name, bytes] : line.Numbers("hbm"))
    if (bytes > 0)
      plan.hbm.emplace_back(name,
                            static_cast<std::int64_t>(std::min(bytes, 9e18)));
  if (const ParsedJson* first = line.Find("first_host");
      first != nullptr && first->is_array())
    for (const ParsedJson& host : *first)
      if (host.is_number_integer()) plan.first_host.push_back(host.get<int>());
}

void RunReader::OnForecast(const Line& line) {
  const auto seconds = [&](const char* key) {
    return line.Number(absl::StrCat("simulated_", key).c_str(), 0);
  };
  run_.forecast = ForecastRecord{
      .step = seconds("step_seconds"),
      .low = seconds("step_seconds_low"),
      .high = seconds("step_seconds_high"),
      .input = seconds("seconds_input"),
      .compute = seconds("seconds_compute"),
      .all_reduce = seconds("seconds_all_reduce"),
      .exposed = seconds("seconds_exposed_all_reduce"),
      .update = seconds("seconds_update"),
      .fixed = seconds("seconds_fixed"),
      .store = seconds("seconds_store"),
      .reduce_bound = seconds("all_reduce_bound_seconds"),
      .how = line.Text("simulated_how"),
      .efficiency = line.MaybeNumber("scaling_efficiency"),
      .reference_slice = line.Text("reference_slice"),
      .reference_batch = line.Integer("reference_batch_per_core"),
      .link_faults = line.Texts("link_faults"),
      .sound_step = line.MaybeNumber("simulated_step_seconds_sound_links")};
}

void RunReader::DropStepsFrom(std::int64_t step) {
  StepTable& steps = run_.steps;
  std::size_t kept = steps.size();
  while (kept > 0 && steps.step[kept - 1] >= step) --kept;
  if (kept == steps.size()) return;
  run_.steps_lost += static_cast<std::int64_t>(steps.size() - kept);
  for (std::size_t i = kept; i < steps.size(); ++i)
    if (std::isfinite(steps[StepFigure::kSeconds][i]))
      run_.seconds_lost += steps[StepFigure::kSeconds][i];
  steps.step.resize(kept);
  steps.wall_time.resize(kept);
  steps.begins.resize(kept);
  for (std::vector<double>& column : steps.figures) column.resize(kept);
  for (auto* columns : {&steps.own, &steps.phases})
    for (auto& [name, column] : *columns) column.resize(kept);
}

void RunReader::OnStep(const Line& line) {
  StepTable& steps = run_.steps;
  const std::int64_t number = line.Integer("step");
  DropStepsFrom(number);
  const std::size_t row = steps.size();
  const bool begins = std::exchange(begins_, false);
  steps.step.push_back(number);
  steps.wall_time.push_back(line.Number("wall_time", 0));
  steps.begins.push_back(begins);
  for (int i = 0; i < kStepFigures; ++i)
    steps.figures[static_cast<std::size_t>(i)].push_back(
        line.Measured(kKeys[i]));
  AddFigures(line.Numbers("metrics"), row, steps.own);
  AddFigures(line.UnknownPhases(), row, steps.phases);
  AddHosts(line, begins);
}

// Where there are too many, every second one goes, those to come too.
void RunReader::AddHosts(const Line& line, bool begins) {
  if (seen_++ % stride_ != 0) return;
  HostsStep step = {.step = line.Integer("step"),
                    .begins = begins,
                    .seconds = line.Number("seconds", 0),
                    .input = line.Seconds("input_us"),
                    .compute = line.Seconds("compute_us"),
                    .waited = line.Seconds("waited_us")};
  if (step.input.empty() || step.input.size() != step.compute.size()) return;
  if (step.waited.size() != step.input.size()) step.waited.clear();
  std::vector<HostsStep>& kept = run_.hosts_steps;
  if (kept.size() == kMostHostsSteps) {
    std::size_t end = 0;
    for (std::size_t i = 0; i < kept.size(); i += 2, ++end)
      if (i != end) kept[end] = std::move(kept[i]);
    kept.resize(end);
    stride_ *= 2;
  }
  kept.push_back(std::move(step));
}

void RunReader::OnEval(const Line& line) {
  run_.evals.push_back({.step = line.Integer("step"),
                        .loss = line.MaybeNumber("loss"),
                        .accuracy = line.MaybeNumber("accuracy"),
                        .own = line.Numbers("metrics")});
}

void RunReader::OnCheckpoint(const Line& line, bool skipped) {
  run_.checkpoints.push_back({.step = line.Integer("step"),
                              .wall_time = line.Number("wall_time", 0),
                              .bytes = line.Integer("bytes"),
                              .paused = line.Number("seconds_paused", 0),
                              .written = line.Number("seconds_written", 0),
                              .skipped = skipped});
}

void RunReader::OnIncident(const Line& line, Incident::Kind kind) {
  begins_ = begins_ || kind != Incident::Kind::kFault;
  const char* const what = kind == Incident::Kind::kRestart  ? "reason"
                           : kind == Incident::Kind::kResume ? "checkpoint"
                                                             : "kind";
  const std::int64_t last = run_.steps.size() == 0 ? 0 : run_.steps.step.back();
  run_.incidents.push_back(
      {.kind = kind,
       .wall_time = line.Number("wall_time", 0),
       .step = line.Find("step") == nullptr ? last : line.Integer("step"),
       .what = line.Text(what),
       .host = line.Int("host"),
       .to = line.Int("to"),
       .seconds = line.Number("seconds", 0),
       .phase = line.Text("phase")});
}

void RunReader::OnFailure(const Line& line) {
  run_.failure = FailureRecord{.wall_time = line.Number("wall_time", 0),
                               .process = line.Text("process"),
                               .how = line.Text("how"),
                               .step = line.Integer("step"),
                               .phase = line.Text("phase"),
                               .message = line.Text("message")};
}

void RunReader::OnSummary(const Line& line) {
  SummaryRecord summary = {
      .drained = line.Bool("drained"),
      .weights_hash = line.Text("weights_hash"),
      .eval_loss = line.MaybeNumber("eval_loss"),
      .eval_accuracy = line.MaybeNumber("eval_accuracy"),
      .recipe_accuracy = line.MaybeNumber("recipe_accuracy"),
      .recipe_examples = line.Integer("recipe_examples"),
      .overlap_hidden = line.MaybeNumber("overlap_hidden"),
      .serial_all_reduce = line.MaybeNumber("seconds_communication"),
      .mfu = line.MaybeNumber("simulated_mfu")};
  if (line.Find("recipe_kept") != nullptr)
    summary.recipe_kept = line.Bool("recipe_kept");
  for (const auto& [name, seconds] : line.Numbers("goodput")) {
    if (!std::isfinite(seconds)) continue;
    if (name == "seconds_productive")
      summary.goodput.insert(summary.goodput.begin(), {"productive", seconds});
    else if (name != "fraction" && name != "seconds_wall" &&
             name != "steps_lost")
      summary.goodput.emplace_back(name, seconds);
  }
  run_.summary = std::move(summary);
}

}  // namespace podsim
