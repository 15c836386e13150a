#include "runtime/report/metrics_lines.h"

#include <google/protobuf/message_lite.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "interconnect/topology/slice.h"
#include "job/hbm.h"
#include "job/metrics.h"
#include "job/phases.h"
#include "job/placement.h"
#include "job/plan_warning.h"
#include "job/slow_link.h"
#include "runtime/forecast/format_forecast.h"
#include "runtime/forecast/slowed_step.h"
#include "runtime/report/input_verdict.h"
#include "runtime/report/kept_pieces.h"
#include "runtime/report/pod_run.h"
#include "settings/field_text.h"
#include "settings/setting.h"
#include "settings/words.h"

namespace podsim {
namespace {

// Keeps the keys in the order in which they are written here.
using Json = nlohmann::ordered_json;

// Bytes that are not UTF-8 (in a path, say) must not end a run.
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Every category, so that programs need not ask which there are.
Json GoodputJson(const Goodput& goodput) {
  Json json = {{"fraction", goodput.fraction()},
               {"seconds_wall", goodput.wall},
               {"seconds_productive", goodput.productive},
               {"steps_lost", goodput.steps_lost}};
  for (int i = 0; i < kLossCategories; ++i) {
    const auto category = static_cast<LostTo>(i);
    json[NameOf(category)] = goodput[category];
  }
  return json;
}

Json FaultsJson(const FaultAccount& account) {
  return {
      {"planned", account.planned},       {"injected", account.injected},
      {"detected", account.detected},     {"recovered", account.recovered},
      {"steps_lost", account.steps_lost}, {"complaints", account.complaints}};
}

// Short enough to read: a pod may have hundreds of processes. Whole numbers,
// which is what coordinators report; others in full.
Json Microseconds(const google::protobuf::RepeatedField<float>& seconds) {
  Json list = Json::array();
  for (const float value : seconds) {
    const double microseconds = 1e6 * static_cast<double>(value);
    const std::int64_t whole = std::llround(microseconds);
    if (static_cast<float>(1e-6 * static_cast<double>(whole)) == value)
      list.push_back(whole);
    else
      list.push_back(microseconds);
  }
  return list;
}

Json StragglerJson(const Straggler& straggler, const JobPlan& plan) {
  const HostRange hosts = HostsOf(plan, straggler.process);
  return {{"process", straggler.process},
          {"first_host", hosts.first},
          {"hosts", hosts.end - hosts.first},
          {"came_last", straggler.came_last},
          {"steps", straggler.steps},
          {"seconds_behind", straggler.behind},
          {"seconds_behind_by_input", straggler.by_input},
          {"seconds_behind_by_compute", straggler.by_compute},
          {"fraction_of_time", straggler.of_time}};
}

// HostJoined or HostLeft. Who is missing is a number here: a pod of 256 says it
// 256 times.
template <typename Change>
std::string PlaceLine(const char* event, const Change& change,
                      double wall_time) {
  const ProcessInfo& process = change.process();
  return Dump({{"event", event},
               {"wall_time", wall_time},
               {"process", process.process()},
               {"pid", process.pid()},
               {"hostname", process.hostname()},
               {"first_host", process.first_host()},
               {"hosts", process.hosts()},
               {"joined", change.joined()},
               {"missing", change.missing_size()}});
}

// Every setting that has a value, as a flag takes it.
Json SettingsJson(const JobSpec& spec) {
  Json settings = Json::object();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  spec.GetReflection()->ListFields(spec, &fields);
  for (const auto* field : fields)
    if (!SettingOf(*field).no_flag())
      settings[FlagOf(*field)] = FieldText(spec, *field);
  return settings;
}

// Bytes of a core's HBM (or a chip's), as planned.
Json HbmJson(const CoreMemory& memory) {
  return {{"parameters", memory.parameters()},
          {"gradients", memory.gradients()},
          {"optimizer_state", memory.slots()},
          {"activations", memory.activations()},
          {"input", memory.input()}};
}

// Of a job that names a bucket or a zone.
void AddGeography(const JobGeography& geography, Json& line) {
  line["zone"] = geography.zone();
  line["buckets"] = Json::array();
  for (const BucketPlace& place : geography.buckets())
    line["buckets"].push_back(
        {{"bucket", place.bucket()},
         {"location", place.location()},
         {"nearness", BucketPlace::Nearness_Name(place.nearness())}});
}

// A model's own metrics, as an object at `key`; none: no such key.
void AddOthers(const char* key, const MetricSums& sums, Json& line) {
  for (const MetricSum& sum : sums)
    if (sum.name() != kLossMetric && sum.name() != kAccuracyMetric)
      line[key][sum.name()] = CombinedValue(sum);
}

// `line` once for each piece of the message.
std::vector<std::string> PieceLines(
    Json line, const google::protobuf::MessageLite& message) {
  std::vector<std::string> lines;
  for (KeptPiece& piece : PiecesOf(message)) {
    line["last"] = piece.is_last;
    line["part"] = std::move(piece.text);
    lines.push_back(Dump(line));
  }
  return lines;
}

}  // namespace

std::string JoinedLine(const HostJoined& joined, double wall_time) {
  return PlaceLine("joined", joined, wall_time);
}

std::string LeftLine(const HostLeft& left, double wall_time) {
  return PlaceLine("left", left, wall_time);
}

std::string RefusedLine(const HostRefused& refused, double wall_time) {
  return Dump({{"event", "refused"},
               {"wall_time", wall_time},
               {"reason", refused.reason()},
               {"count", refused.count()}});
}

std::string WaitingLine(const PodWaiting& waiting, double wall_time) {
  if (waiting.uncommitted() > 0)
    return Dump({{"event", "waiting"},
                 {"wall_time", wall_time},
                 {"uncommitted", waiting.uncommitted()},
                 {"seconds_left", waiting.seconds_left()}});
  if (waiting.tracing_size() > 0)
    return Dump({{"event", "waiting"},
                 {"wall_time", wall_time},
                 {"tracing", std::vector<int>(waiting.tracing().begin(),
                                              waiting.tracing().end())}});
  if (!waiting.looking().empty())
    return Dump({{"event", "waiting"},
                 {"wall_time", wall_time},
                 {"looking", waiting.looking()},
                 {"seconds_left", waiting.seconds_left()}});
  return Dump({{"event", "waiting"},
               {"wall_time", wall_time},
               {"missing", std::vector<int>(waiting.missing().begin(),
                                            waiting.missing().end())},
               {"unready", std::vector<int>(waiting.unready().begin(),
                                            waiting.unready().end())},
               {"seconds_left", waiting.seconds_left()}});
}

std::string PlanLine(const JobPlan& plan, double wall_time,
                     const RunContext& context) {
  const PlanBits& bits = plan.bits();
  Json line = {{"event", "plan"},
               {"wall_time", wall_time},
               {"plan_hash", plan.hash()},
               {"settings", SettingsJson(plan.spec())},
               {"slice", bits.slice()},
               {"hosts", bits.hosts()},
               {"cores", bits.hosts() * bits.cores_per_host()},
               {"processes", plan.spec().processes()},
               {"threads", plan.spec().threads()},
               {"transport", WordOf(plan.spec().transport())},
               {"model", bits.model().name()},
               {"hidden", Json(std::vector<int>(bits.model().hidden().begin(),
                                                bits.model().hidden().end()))},
               {"dataset", bits.dataset().name()},
               {"train_examples", bits.dataset().train_examples()},
               {"eval_examples", bits.dataset().eval_examples()},
               {"batch_per_core", bits.batch_per_core()},
               {"global_batch", plan.global_batch()},
               {"train_steps", plan.train_steps()},
               {"total_examples", plan.total_examples()},
               {"learning_rate", bits.learning_rate().peak()},
               {"warmup_examples", bits.learning_rate().warmup_examples()},
               {"optimizer", bits.optimizer()},
               {"momentum", bits.momentum()},
               {"seed", bits.seed()},
               {"precision", bits.precision()},
               {"algorithm", bits.algorithm()},
               {"wire_dtype", bits.wire_dtype()},
               {"isa", bits.isa()},
               {"kernel_library", bits.kernel_library()},
               {"hbm_bytes_per_core", HbmBytes(plan.core_memory())},
               {"hbm_bytes_available", plan.core_memory().hbm()},
               {"command", context.command},
               {"cpu", context.cpu},
               {"cpus", context.cpus}};
  // What hbm_bytes_per_core is of: "core", or "chip".
  line["replica_name"] = ReplicaNameOf(bits.slice(), plan.spec().hardware());
  line["hbm"] = HbmJson(plan.core_memory());
  line["first_host"] =
      std::vector<int>(plan.first_host().begin(), plan.first_host().end());
  line["memory_bytes_per_process"] = plan.machine_memory().per_process();
  line["memory_bytes_per_host"] = plan.machine_memory().per_host();
  if (!plan.warnings().empty()) line["warnings"] = WarningTexts(plan);
  if (plan.has_geography()) AddGeography(plan.geography(), line);
  if (context.command_start)
    line["command_start_ns"] = absl::ToUnixNanos(*context.command_start);
  if (!context.plan_text.empty()) line["plan_text"] = context.plan_text;
  return Dump(line);
}

std::string ResumeLine(const StartPoint& start, const JobPlan& plan,
                       double wall_time) {
  return Dump({{"event", "resume"},
               {"wall_time", wall_time},
               {"mode", WordOf(plan.spec().mode())},
               {"checkpoint", start.checkpoint()},
               {"step", start.step()},
               {"examples", start.examples_consumed()},
               {"last_step", start.last_step()}});
}

// Scaling efficiency is of a core's (or chip's) examples/s.
void AddFoot(const JobForecast& forecast, const LadderFoot& foot, Json& line) {
  line["scaling_efficiency"] = forecast.examples_per_second_per_replica() /
                               foot.examples_per_second_per_replica;
  line["reference_slice"] = foot.slice;
  line["reference_batch_per_core"] = foot.batch_per_core;
}

// Exactly, for who goes on computing with it.
Json PicosecondsJson(const SimStep& step) {
  return {{"input", step.input.picoseconds()},
          {"store", step.store.picoseconds()},
          {"compute", step.compute.picoseconds()},
          {"communication", step.communication.picoseconds()},
          {"update", step.update.picoseconds()},
          {"exposed_communication", step.exposed_communication.picoseconds()},
          {"fixed", step.fixed.picoseconds()},
          {"total", step.total.picoseconds()}};
}

std::string ForecastLine(const JobForecast& forecast,
                         const Yardsticks& yardsticks, double wall_time) {
  const SimStep& step = forecast.step;
  Json line = {{"event", "forecast"},
               {"wall_time", wall_time},
               {"model_flops", forecast.model_flops},
               {"simulated_step_seconds", step.total.seconds()},
               {"simulated_step_seconds_low", forecast.band.low.seconds()},
               {"simulated_step_seconds_high", forecast.band.high.seconds()},
               {"simulated_seconds_input", PhasesOf(step).input.seconds()},
               {"simulated_seconds_compute", step.compute.seconds()},
               {"simulated_seconds_all_reduce", step.communication.seconds()},
               {"simulated_seconds_exposed_all_reduce",
                step.exposed_communication.seconds()},
               {"simulated_seconds_update", step.update.seconds()},
               {"simulated_seconds_fixed", step.fixed.seconds()},
               {"simulated_seconds_store", step.store.seconds()},
               {"simulated_how", HowText(forecast)},
               {"simulated_all_reduce_bound_seconds",
                yardsticks.reduce_bound.seconds()}};
  if (yardsticks.foot) AddFoot(forecast, *yardsticks.foot, line);
  if (!yardsticks.link_faults.empty())
    line["link_faults"] = yardsticks.link_faults;
  if (yardsticks.sound_step)
    line["simulated_step_seconds_sound_links"] =
        yardsticks.sound_step->seconds();
  line["simulated_step_picoseconds"] = PicosecondsJson(step);
  return Dump(line);
}

// Of an evaluation that computes one.
void AddLoss(const char* key, const MetricSums& sums, Json& line) {
  if (FindMetric(sums, kLossMetric) != nullptr)
    line[key] = MetricValue(sums, kLossMetric);
}

// Only a model that has one says so.
void AddAccuracy(const char* key, std::optional<double> accuracy, Json& line) {
  if (accuracy.has_value()) line[key] = *accuracy;
}

// Under "seconds_<name>". One of another build does not take the place of a
// key that is there.
void AddPhaseKeys(const Phases& phases, std::span<const KnownPhase> known,
                  Json& line) {
  for (const NamedPhase& phase : PhasesInOrder(phases, known)) {
    const std::string key = absl::StrCat("seconds_", phase.name);
    if (IsIn(known, phase.name))
      line[key] = phase.seconds;
    else
      line.emplace(key, phase.seconds);
  }
}

std::string StepLine(const StepDone& step, double wall_time,
                     const std::optional<PodTime>& pod) {
  Json line = {{"event", "step"},
               {"wall_time", wall_time},
               {"step", step.step()},
               {"examples", step.examples()},
               {"loss", MetricValue(step.metrics(), kLossMetric)},
               {"learning_rate", step.learning_rate()},
               {"examples_per_second", step.examples_per_second()},
               {"seconds", step.seconds()}};
  AddPhaseKeys(step.phases(), kPhaseNames, line);
  AddPhaseKeys(step.work(), kWorkNames, line);
  AddPhaseKeys(step.input(), kInputNames, line);
  line["serial"] = step.serial();
  if (pod) {
    line["simulated_seconds"] = pod->step.seconds();
    line["simulated_time"] = pod->sum.seconds();
  }
  AddAccuracy("accuracy", AccuracyOf(step.metrics()), line);
  AddOthers("metrics", step.metrics(), line);
  if (step.process_seconds_waited_size() > 0)
    line["last_process"] = step.last_process();
  line["input_us"] = Microseconds(ByProcess(step, kInputPhase));
  line["compute_us"] = Microseconds(ByProcess(step, kComputePhase));
  line["waited_us"] = Microseconds(step.process_seconds_waited());
  return Dump(line);
}

std::string StartedLine(double wall_time) {
  return Dump({{"event", "started"}, {"wall_time", wall_time}});
}

std::string DoneLine(const JobDone& done, double wall_time) {
  return Dump({{"event", "done"},
               {"wall_time", wall_time},
               {"step", done.steps()},
               {"examples", done.examples()},
               {"weights_hash", done.weights_hash()},
               {"drained", done.drained()}});
}

std::string FailedLine(const JobFailed& failed, double wall_time) {
  return Dump({{"event", "failed"},
               {"wall_time", wall_time},
               {"process", failed.process()},
               {"step", failed.step()},
               {"phase", failed.phase()},
               {"message", failed.message()}});
}

std::string DeletedLine(const CheckpointDeleted& deleted, double wall_time) {
  return Dump({{"event", "checkpoint_deleted"},
               {"wall_time", wall_time},
               {"step", deleted.step()},
               {"error", deleted.error()}});
}

std::string NoEvalLine(const EvalDone& eval, double wall_time) {
  return Dump(
      {{"event", "no_eval"}, {"wall_time", wall_time}, {"step", eval.step()}});
}

std::string EvalLine(const EvalDone& eval, double wall_time) {
  Json line = {{"event", "eval"},
               {"wall_time", wall_time},
               {"step", eval.step()},
               {"examples", eval.examples()}};
  AddLoss("loss", eval.metrics(), line);
  if (const auto accuracy = AccuracyOf(eval.metrics()); accuracy.has_value()) {
    line["correct"] = CorrectExamples(eval.metrics());
    line["accuracy"] = *accuracy;
  }
  AddOthers("metrics", eval.metrics(), line);
  return Dump(line);
}

std::string SavedLine(const CheckpointSaved& saved, double wall_time) {
  return Dump({{"event", "checkpoint"},
               {"wall_time", wall_time},
               {"step", saved.step()},
               {"examples", saved.examples()},
               {"path", saved.path()},
               {"bytes", saved.bytes()},
               {"seconds_paused", saved.seconds_paused()},
               {"seconds_written", saved.seconds_written()}});
}

std::string SkippedLine(const CheckpointSkipped& skipped, double wall_time) {
  return Dump({{"event", "checkpoint_skipped"},
               {"wall_time", wall_time},
               {"step", skipped.step()},
               {"process", skipped.process().process()}});
}

std::string RestartLine(const JobRestarting& restart, double wall_time) {
  return Dump({{"event", "restart"},
               {"wall_time", wall_time},
               {"generation", restart.generation()},
               {"reason", restart.reason()},
               {"restarts_left", restart.restarts_left()}});
}

std::string FaultLine(const FaultStruck& struck, double wall_time) {
  const Fault& fault = struck.fault();
  return Dump({{"event", "fault"},
               {"wall_time", wall_time},
               {"index", struck.index()},
               {"kind", Fault::Kind_Name(fault.kind())},
               {"host", fault.host()},
               {"to", fault.to()},
               {"step", struck.step()},
               {"phase", fault.phase()},
               {"seconds", fault.seconds()}});
}

// The run as the pod would have made it.
void AddPodRun(const PodRun& run, const RunSummary& summary, Json& line) {
  line["simulated_seconds_run"] = run.seconds();
  line["simulated_seconds_start_up"] = run.start_up;
  line["simulated_seconds_steps"] = run.steps;
  line["simulated_seconds_evaluation"] = run.evaluation;
  line["simulated_seconds_checkpoints"] = run.checkpoints;
  line["simulated_seconds_input"] = summary.pod.input.seconds();
  line["simulated_seconds_compute"] = summary.pod.compute.seconds();
  line["simulated_seconds_reduce"] = summary.pod.reduce.seconds();
  line["simulated_seconds_update"] = summary.pod.update.seconds();
  line["simulated_seconds_fixed"] = summary.pod.fixed.seconds();
  line["simulated_chip_hours"] = run.chip_hours;
  if (run.mfu) line["simulated_mfu"] = *run.mfu;
  line["simulated_input_verdict"] = InputVerdict(run.input);
}

void AddForecast(const RunSummary& summary, Json& line) {
  const JobForecast& forecast = *summary.forecast;
  line["simulated_step_seconds"] = forecast.step.total.seconds();
  line["simulated_step_seconds_low"] = forecast.band.low.seconds();
  line["simulated_step_seconds_high"] = forecast.band.high.seconds();
  line["simulated_how"] = HowText(forecast);
  if (const auto run = PodRunOf(summary)) AddPodRun(*run, summary, line);
  const CoreMemory& memory = summary.plan.core_memory();
  line["simulated_hbm_bytes_per_core"] = HbmBytes(memory);
  line["simulated_hbm_bytes_available"] = memory.hbm();
}

std::string SummaryLine(const RunSummary& summary) {
  Json line = {{"event", "summary"},
               {"plan_hash", summary.plan.hash()},
               {"weights_hash", summary.weights_hash},
               {"drained", summary.drained},
               {"steps", summary.steps},
               {"examples", summary.examples},
               {"loss", summary.loss},
               {"seconds_training", absl::ToDoubleSeconds(summary.training)},
               {"examples_per_second", summary.examples_per_second}};
  AddPhaseKeys(summary.phases.of_step, kPhaseNames, line);
  line["seconds_steps"] = summary.phases.steps;
  AddPhaseKeys(summary.phases.input, kInputNames, line);
  if (summary.straggler.has_value()) {
    line["straggler"] = StragglerJson(*summary.straggler, summary.plan);
    line["came_last"] = summary.came_last;
  }
  if (summary.overlap.has_value()) {
    line["overlap_hidden"] = summary.overlap->hidden();
    line["seconds_serial_step"] = summary.overlap->serial_step;
    line["seconds_overlapped_step"] = summary.overlap->overlapped_step;
    line["seconds_communication"] = summary.overlap->communication;
  }
  AddAccuracy("train_accuracy", summary.train_accuracy, line);
  if (summary.eval.has_value()) {
    const auto accuracy = AccuracyOf(summary.eval->metrics());
    AddAccuracy("eval_accuracy", accuracy, line);
    if (accuracy.has_value())
      line["eval_correct"] = CorrectExamples(summary.eval->metrics());
    line["eval_examples"] = summary.eval->examples();
    AddLoss("eval_loss", summary.eval->metrics(), line);
    AddOthers("eval_metrics", summary.eval->metrics(), line);
  }
  if (HasPromise(summary)) {
    line["recipe_accuracy"] = summary.plan.recipe_accuracy();
    line["recipe_kept"] = KeepsPromise(summary);
    line["recipe_examples"] = summary.plan.recipe_examples();
  }
  for (const PlanWarning& warning : WarningsOfRun(summary.plan))
    line["warnings"].push_back(warning.text());
  if (SlowsRun(summary.plan)) line["slow_link"] = SlowLinkText(summary.plan);
  if (summary.time_to_first_step.has_value()) {
    line["seconds_to_first_step"] =
        absl::ToDoubleSeconds(*summary.time_to_first_step);
  }
  if (summary.goodput.has_value()) {
    line["goodput"] = GoodputJson(*summary.goodput);
  }
  if (summary.faults.has_value()) line["faults"] = FaultsJson(*summary.faults);
  if (summary.phases.steps > 0)
    line["input_verdict"] = InputVerdict(
        SecondsIn(summary.phases.of_step, kInputPhase) / summary.phases.steps);
  if (summary.forecast) AddForecast(summary, line);
  return Dump(line);
}

std::string TraceLine(const TraceRecord& trace) {
  Json line = {{"event", "trace"},
               {"trace", trace.trace},
               {"profile_dir", trace.profile_dir},
               {"first_step", trace.first_step},
               {"last_step", trace.last_step},
               {"spans", trace.spans},
               {"clocks", Json::array()}};
  for (const TraceRecord::Clock& clock : trace.clocks)
    line["clocks"].push_back({{"process", clock.process},
                              {"first_host", clock.first_host},
                              {"hosts", clock.hosts},
                              {"offset_ns", clock.offset_ns},
                              {"uncertainty_ns", clock.uncertainty_ns},
                              {"round_trips", clock.round_trips}});
  return Dump(line);
}

std::vector<std::string> TracePartLines(const TracePart& part) {
  return PieceLines({{"event", "trace_part"},
                     {"process", part.process()},
                     {"spans", part.spans_size()}},
                    part);
}

std::vector<std::string> TraceSimLines(const SimStepPart& sim) {
  return PieceLines({{"event", "trace_sim"}}, sim);
}

std::string FailureLine(const FailureReport& failure) {
  return Dump(
      {{"event", "failure"},
       {"wall_time", absl::ToDoubleSeconds(failure.when - absl::UnixEpoch())},
       {"process", failure.name},
       {"pid", failure.pid},
       {"how", failure.how},
       {"step", failure.step},
       {"phase", failure.phase},
       {"message", failure.message},
       {"exit_code", failure.exit_code}});
}

}  // namespace podsim
