#include "runtime/report/run_line.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>

#include "job/phases.h"
#include "runtime/report/kept_pieces.h"

namespace podsim {
namespace {

// In the order in which the keys were written.
using LineJson = nlohmann::ordered_json;
using google::protobuf::FieldDescriptor;
using Floats = google::protobuf::RepeatedField<float>;

// The plan of a pod of thousands of processes stays below it.
constexpr std::size_t kLongestRunLine = 16 << 20;

const LineJson* FindIn(const LineJson& line, const char* key) {
  const auto found = line.find(key);
  return found == line.end() ? nullptr : &*found;
}

double NumberIn(const LineJson& line, const char* key) {
  const LineJson* const value = FindIn(line, key);
  return value != nullptr && value->is_number() ? value->get<double>() : 0;
}

std::string TextIn(const LineJson& line, const char* key) {
  const LineJson* const value = FindIn(line, key);
  return value != nullptr && value->is_string() ? value->get<std::string>()
                                                : "";
}

// A field of a message that is one number, or yes or no.
void TakeScalar(const LineJson& value, const FieldDescriptor& field,
                google::protobuf::Message& message) {
  const google::protobuf::Reflection& set = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE:
      if (value.is_number())
        set.SetDouble(&message, &field, value.get<double>());
      return;
    case FieldDescriptor::CPPTYPE_INT64:
      if (value.is_number_integer())
        set.SetInt64(&message, &field, value.get<std::int64_t>());
      return;
    case FieldDescriptor::CPPTYPE_INT32:
      if (value.is_number_integer())
        set.SetInt32(&message, &field, value.get<std::int32_t>());
      return;
    case FieldDescriptor::CPPTYPE_BOOL:
      if (value.is_boolean()) set.SetBool(&message, &field, value.get<bool>());
      return;
    default:
      return;
  }
}

void TakeField(const std::string& name, const LineJson& value,
               google::protobuf::Message& message) {
  const FieldDescriptor* const field =
      message.GetDescriptor()->FindFieldByName(name);
  if (field != nullptr && !field->is_repeated())
    TakeScalar(value, *field, message);
}

// Before those that the event has without a key, the known ones of the keys
// "seconds_<name>".
void TakePhases(const LineJson& line, std::span<const KnownPhase> known,
                Phases& phases) {
  Phases all;
  for (const KnownPhase& phase : known) {
    const double seconds =
        NumberIn(line, ("seconds_" + std::string(phase.name)).c_str());
    const bool is_there = std::any_of(
        phases.begin(), phases.end(),
        [&](const Phase& each) { return each.name() == phase.name; });
    if (seconds != 0 && !is_there) AddSeconds(phase, seconds, all);
  }
  all.MergeFrom(phases);
  phases = all;
}

void TakeMicroseconds(const LineJson& line, const char* key, Floats& seconds) {
  const LineJson* const list = FindIn(line, key);
  if (list == nullptr || !list->is_array()) return;
  for (const LineJson& value : *list)
    seconds.Add(value.is_number()
                    ? static_cast<float>(1e-6 * value.get<double>())
                    : 0.0F);
}

void TakeProcesses(const LineJson& line, StepDone& step) {
  google::protobuf::RepeatedPtrField<ProcessPhase> all;
  for (const auto& [key, phase] : {std::pair("input_us", kInputPhase),
                                   std::pair("compute_us", kComputePhase)}) {
    ProcessPhase of_key;
    of_key.set_name(phase.name);
    TakeMicroseconds(line, key, *of_key.mutable_seconds());
    const bool is_there = std::any_of(
        step.process_phases().begin(), step.process_phases().end(),
        [&](const ProcessPhase& each) { return each.name() == of_key.name(); });
    if (of_key.seconds_size() > 0 && !is_there) *all.Add() = of_key;
  }
  all.MergeFrom(step.process_phases());
  *step.mutable_process_phases() = all;
  TakeMicroseconds(line, "waited_us", *step.mutable_process_seconds_waited());
}

// What event_line.cc left to the keys.
void TakeStepKeys(const LineJson& line, StepDone& step) {
  for (const auto& [key, value] : line.items()) TakeField(key, value, step);
  TakePhases(line, kPhaseNames, *step.mutable_phases());
  TakePhases(line, kWorkNames, *step.mutable_work());
  TakePhases(line, kInputNames, *step.mutable_input());
  TakeProcesses(line, step);
}

std::optional<JobEvent> EventIn(const LineJson& line) {
  const LineJson* const behind = FindIn(line, "proto");
  if (behind == nullptr || !behind->is_object()) return std::nullopt;
  google::protobuf::util::JsonParseOptions lenient;
  lenient.ignore_unknown_fields = true;  // of a later version
  JobEvent event;
  if (!google::protobuf::util::JsonStringToMessage(
           behind->dump(-1, ' ', false, LineJson::error_handler_t::replace),
           &event, lenient)
           .ok())
    return std::nullopt;
  event.set_wall_time(NumberIn(line, "wall_time"));
  if (event.has_step()) TakeStepKeys(line, *event.mutable_step());
  return event;
}

SimTime PicosecondsIn(const LineJson& step, const char* key) {
  const LineJson* const value = FindIn(step, key);
  return SimTime::Picoseconds(value != nullptr && value->is_number_integer()
                                  ? value->get<std::int64_t>()
                                  : 0);
}

std::optional<JobForecast> ForecastIn(const LineJson& line) {
  const LineJson* const step = FindIn(line, "simulated_step_picoseconds");
  if (step == nullptr || !step->is_object()) return std::nullopt;
  JobForecast forecast;
  forecast.step = {
      .input = PicosecondsIn(*step, "input"),
      .store = PicosecondsIn(*step, "store"),
      .compute = PicosecondsIn(*step, "compute"),
      .communication = PicosecondsIn(*step, "communication"),
      .update = PicosecondsIn(*step, "update"),
      .exposed_communication = PicosecondsIn(*step, "exposed_communication"),
      .fixed = PicosecondsIn(*step, "fixed"),
      .total = PicosecondsIn(*step, "total")};
  forecast.model_flops = NumberIn(line, "model_flops");
  return forecast;
}

std::optional<PieceOfPart> PieceIn(const LineJson& line) {
  const LineJson* const last = FindIn(line, "last");
  const LineJson* const process = FindIn(line, "process");
  std::optional<std::string> bytes = BytesOfPiece(TextIn(line, "part"));
  if (!bytes || last == nullptr || !last->is_boolean()) return std::nullopt;
  const bool has_process = process != nullptr && process->is_number_integer();
  return PieceOfPart{.process = has_process ? process->get<int>() : 0,
                     .bytes = *std::move(bytes),
                     .is_last = last->get<bool>()};
}

}  // namespace

std::optional<RunLine> ParseRunLine(std::string_view line) {
  const LineJson json = LineJson::parse(line.begin(), line.end(), nullptr,
                                        /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  RunLine parsed = {.kind = TextIn(json, "event")};
  if (parsed.kind.empty()) return std::nullopt;
  if (const LineJson* const step = FindIn(json, "step");
      parsed.kind == "step" && (step == nullptr || !step->is_number_integer()))
    return std::nullopt;
  parsed.event = EventIn(json);
  if (parsed.kind == "forecast") parsed.forecast = ForecastIn(json);
  if (parsed.kind == "trace_part") parsed.trace_part = PieceIn(json);
  if (parsed.kind == "trace_sim") parsed.trace_sim = PieceIn(json);
  if (parsed.kind == "trace") {
    parsed.trace_file = TextIn(json, "trace");
    if (parsed.trace_file.empty())
      parsed.trace_file = TextIn(json, "profile_dir");
  }
  if (parsed.kind == "plan") {
    parsed.plan_text = TextIn(json, "plan_text");
    const LineJson* const start = FindIn(json, "command_start_ns");
    if (start != nullptr && start->is_number_integer())
      parsed.command_start = absl::FromUnixNanos(start->get<std::int64_t>());
  }
  return parsed;
}

RunLines::RunLines(OnLine on_line)
    : on_line_(std::move(on_line)), splitter_(kLongestRunLine) {}

void RunLines::Add(std::string_view piece) {
  splitter_.Add(piece,
                [this](std::optional<std::string_view> line) { Take(line); });
}

void RunLines::Finish() {
  splitter_.Finish(
      [this](std::optional<std::string_view> line) { Take(line); });
}

void RunLines::Take(std::optional<std::string_view> line) {
  ++lines_;
  if (line && line->find_first_not_of(" \t\r") == line->npos) return;
  const std::optional<RunLine> parsed =
      line ? ParseRunLine(*line) : std::nullopt;
  if (!parsed) {
    if (first_bad_line_ == 0) first_bad_line_ = lines_;
    return;
  }
  ++records_;
  if (parsed->event) ++events_;
  on_line_(*parsed);
}

}  // namespace podsim
