// Which of pod_launch's actions is wanted, and its result; see launch.h.
#include "runtime/launch/launch.h"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/text_layout.h"
#include "base/units.h"
#include "host/board/cpu_share.h"
#include "host/core/selftest.h"
#include "host/storage/job_hold.h"
#include "host/storage/store_waits.h"
#include "host/storage/uri_store.h"
#include "interconnect/topology/describe.h"
#include "interconnect/topology/hardware.h"
#include "interconnect/topology/slice.h"
#include "job/traced_steps.h"
#include "models/graph/serialize_model.h"
#include "models/kernels/kernels.h"
#include "models/zoo/zoo.h"
#include "runtime/coordinator/plan_inputs.h"
#include "runtime/coordinator/ports.h"
#include "runtime/coordinator/run_start.h"
#include "runtime/files/choices_file.h"
#include "runtime/files/fault_file.h"
#include "runtime/files/geography_file.h"
#include "runtime/files/hardware_file.h"
#include "runtime/files/job_file.h"
#include "runtime/files/model_file.h"
#include "runtime/files/output_clash.h"
#include "runtime/files/output_files.h"
#include "runtime/job/defaults.h"
#include "runtime/job/draw_faults.h"
#include "runtime/job/format_plan.h"
#include "runtime/job/ici_fault.h"
#include "runtime/job/plan_faults.h"
#include "runtime/job/planned_run.h"
#include "runtime/job/planner.h"
#include "runtime/job/spec_check.h"
#include "runtime/launch/compose_file.h"
#include "runtime/launch/flags.h"
#include "runtime/launch/job_trace.h"
#include "runtime/launch/pending_forecast.h"
#include "runtime/launch/train_job.h"
#include "runtime/pod/elsewhere.h"
#include "runtime/pod/job_runner.h"
#include "runtime/report/metrics_file.h"
#include "runtime/report/text_width.h"
#include "settings/nearest_names.h"
#include "settings/origins.h"
#include "settings/pasted.h"
#include "settings/programs.h"
#include "settings/template.h"
#include "settings/words.h"

namespace podsim {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kRefused = 2;

// What takes longer is shown while the pod forms, or trains.
constexpr absl::Duration kForecastWait = absl::Milliseconds(50);

int Refuse(const absl::Status& status, Console& console) {
  console.Error(absl::StrCat("error: ", status.message()));
  // A file that is not there was typed, too.
  return absl::IsInvalidArgument(status) || absl::IsNotFound(status) ? kRefused
                                                                     : kFailed;
}

// How long lines for people may be.
int WidthOf(const LaunchContext& context, const Console& console) {
  return TextWidth(Find(context.variables, "COLUMNS"),
                   console.terminal_width());
}

absl::StatusOr<int> DescribeSlice(const LaunchContext& context,
                                  const ParsedFlags& flags, Console& console) {
  const auto slice = SliceNamed(flags.settings.describe(), flags.spec);
  if (!slice.ok()) return Annotate(slice.status(), "--describe");
  console.Line(Describe(*slice, WidthOf(context, console)));
  return kDone;
}

absl::StatusOr<int> PrintCompose(const ParsedFlags& flags, Console& console) {
  const auto slice = FindSlice(flags.settings.print_compose());
  if (!slice.ok()) return Annotate(slice.status(), "--print_compose");
  PODSIM_RETURN_IF_ERROR(Annotate(CheckTrains(*slice), "--print_compose"));
  const std::string file = ComposeFile(*slice);
  console.Line(std::string(absl::StripSuffix(file, "\n")));
  return kDone;
}

absl::StatusOr<int> PrintHardware(const ParsedFlags& flags, Console& console) {
  const std::string& name = flags.settings.print_hardware();
  const Hardware hardware = HardwareOf(flags.spec);
  const Generation* generation = FindGeneration(hardware, name);
  if (generation == nullptr) {
    std::vector<std::string> known;
    for (const Generation& one : hardware.generations())
      known.push_back(one.name());
    return absl::InvalidArgumentError(absl::StrCat(
        "--print_hardware: no generation is called '",
        PrintableLine(name.substr(0, 32)), "'", DidYouMean(name, known),
        "; known: ", absl::StrJoin(known, ", ")));
  }
  const std::string file = HardwareText(*generation);
  console.Line(std::string(absl::StripSuffix(file, "\n")));
  return kDone;
}

absl::StatusOr<int> SelfTest(const LaunchContext& context, const JobSpec& spec,
                             Console& console) {
  std::string isa = WordOf(spec.isa());
  if (!spec.has_isa()) {
    PODSIM_ASSIGN_OR_RETURN(isa, BestIsa());
  }
  PODSIM_ASSIGN_OR_RETURN(const PodsimKernels* kernels, LoadKernels(isa));
  const SelfTestResult result = RunSelfTest(*kernels);
  console.Line(
      WrapText(result.text, WidthOf(context, console), LongWords::kOverflow));
  return result.pass ? kDone : kFailed;
}

// What is wrong with a file, with the variable that names it.
absl::Status OfFile(const char* flag, const ParsedFlags& flags,
                    const absl::Status& read) {
  const auto origin = flags.origins.find(flag);
  if (read.ok() || origin == flags.origins.end()) return read;
  return absl::Status(read.code(), absl::StrCat(read.message(), " (from ",
                                                origin->second, ")"));
}

absl::StatusOr<JobSpec> MergedSpec(const ParsedFlags& flags, Origins& origins) {
  JobSpec file;
  if (flags.settings.has_job()) {
    Origins lines;
    absl::StatusOr<JobSpec> read = ReadJobFile(flags.settings.job(), lines);
    PODSIM_RETURN_IF_ERROR(OfFile("job", flags, read.status()));
    file = *std::move(read);
    origins = MergeOrigins(std::move(lines), flags.spec, flags.origins);
  }
  JobSpec given = flags.spec;
  if (flags.settings.has_choices()) {
    auto read = ReadChoices(flags.settings.choices());
    PODSIM_RETURN_IF_ERROR(OfFile("choices", flags, read.status()));
    *given.mutable_choices() = *std::move(read);
  }
  if (flags.settings.has_faults()) {
    auto read = ReadFaults(flags.settings.faults());
    PODSIM_RETURN_IF_ERROR(OfFile("faults", flags, read.status()));
    *given.mutable_faults() = *std::move(read);
  }
  if (flags.settings.has_links()) {
    auto read = ReadLinks(flags.settings.links());
    PODSIM_RETURN_IF_ERROR(OfFile("links", flags, read.status()));
    *given.mutable_links() = *std::move(read);
  }
  if (flags.settings.has_prices()) {
    auto read = ReadPrices(flags.settings.prices());
    PODSIM_RETURN_IF_ERROR(OfFile("prices", flags, read.status()));
    *given.mutable_prices() = *std::move(read);
  }
  return MergeSpecs(file, given);
}

// Defaults as comments: what a slice, a machine or a recipe decided would else
// be read back as asked for, and not fit another one.
absl::StatusOr<int> PrintWholeJob(const JobSpec& asked, bool external_hosts,
                                  Console& console) {
  JobSpec spec = asked;
  if (external_hosts) FillExternalDefaults(spec);
  PODSIM_ASSIGN_OR_RETURN(const JobSpec whole, ApplyRecipe(spec));
  console.Line(FormatTemplate(whole, asked));
  return kDone;
}

// What the job names, for the examples of its data set.
absl::StatusOr<int> WriteModel(const JobSpec& spec,
                               const LaunchSettings& settings,
                               Console& console) {
  const std::string& path = settings.write_model();
  if (spec.has_model_file())
    return absl::InvalidArgumentError(absl::StrCat(
        "--write_model writes the model that --model names, and --model_file ",
        spec.model_file(), " is a file already: leave one of the two out"));
  PODSIM_RETURN_IF_ERROR(CheckServed(path));
  PODSIM_RETURN_IF_ERROR(CheckOutputFiles(settings));
  PODSIM_RETURN_IF_ERROR(CheckOutputsApart(FilesIn({&spec, &settings})));
  PODSIM_ASSIGN_OR_RETURN(const PlanInputs inputs,
                          GatherPlanInputs(spec, /*one_machine=*/true));
  PODSIM_ASSIGN_OR_RETURN(const JobPlan plan, PlanJob(spec, inputs));
  PODSIM_ASSIGN_OR_RETURN(const ModelProto model,
                          BuildModel(plan.bits().model()));
  PODSIM_RETURN_IF_ERROR(WriteModelFile(path, model));
  console.Line(absl::StrCat(path, ": model ", model.name(), ", hash ",
                            ModelHash(model)));
  return kDone;
}

// In a model_dir that the job makes before it opens the file.
bool MakesFolderOfMetrics(const JobSpec& spec) {
  const std::filesystem::path folder =
      std::string(absl::StripSuffix(spec.model_dir(), "/"));
  std::error_code error;
  return !folder.empty() && !std::filesystem::exists(folder, error) &&
         std::filesystem::path(spec.metrics_file()).parent_path() == folder;
}

// A file of its model_dir counts too, of which nobody spoke.
absl::Status CheckApart(const JobSpec& spec, const LaunchSettings& settings) {
  JobSpec files = spec;
  files.set_metrics_file(MetricsPath(spec));
  return CheckOutputsApart(FilesIn({&files, &settings}));
}

// What a run would write to, also of a plan alone.
absl::Status CheckOutputs(const JobSpec& spec, const LaunchSettings& settings) {
  JobSpec files = spec;
  if (MakesFolderOfMetrics(spec)) files.clear_metrics_file();
  PODSIM_RETURN_IF_ERROR(CheckOutputFiles(files));
  PODSIM_RETURN_IF_ERROR(
      spec.mode() == words::Mode::eval
          ? CheckFolder("model_dir", spec.model_dir())
          : CheckOutputFolder("model_dir", spec.model_dir()));
  PODSIM_RETURN_IF_ERROR(
      CheckOutputFolder("tensorboard_dir", spec.tensorboard_dir()));
  PODSIM_RETURN_IF_ERROR(CheckOutputFolder("profile_dir", spec.profile_dir()));
  PODSIM_RETURN_IF_ERROR(CheckOutputFolder("log_dir", spec.log_dir()));
  return CheckApart(spec, settings);
}

absl::StatusOr<PlannedJob> PlannedFrom(const JobSpec& spec,
                                       bool external_hosts) {
  PlannedJob job;
  job.spec = spec;
  if (external_hosts) FillExternalDefaults(job.spec);
  PODSIM_ASSIGN_OR_RETURN(const PlanInputs inputs,
                          GatherPlanInputs(job.spec, !external_hosts));
  PODSIM_ASSIGN_OR_RETURN(job.plan, PlanJob(job.spec, inputs));
  job.data_notes = inputs.dataset_notes;
  NoteAsked(spec, job.plan);
  PODSIM_ASSIGN_OR_RETURN(const Slice slice,
                          SliceNamed(job.plan.bits().slice(), spec));
  PODSIM_ASSIGN_OR_RETURN(job.slice, WithIciFault(slice, spec));
  return job;
}

// Nothing for the very beginning.
std::vector<TextRow> RowsOf(const RunStart& start, const PlannedJob& job) {
  if (start.point.checkpoint().empty()) return {};
  return {{"start", DescribeStart(start.point, job.plan)}};
}

// Steps to trace that the run does not make are refused before it begins.
absl::Status CheckTracedRun(const RunStart& start, const PlannedJob& job) {
  return CheckTracedSteps(job.plan.spec(), start.point.step(),
                          start.point.last_step());
}

// Where the job begins. Refuses a checkpoint that does not fit before any
// process starts. The coordinator looks again, as every generation of the pod
// begins elsewhere.
absl::StatusOr<std::vector<TextRow>> StartRowsOfRun(const PlannedJob& job) {
  const auto store = NewUriStore();
  absl::StatusOr<RunStart> start = FindStart(*store, job.spec, job.plan);
  if (!start.ok() && store->List(job.plan.spec().model_dir()).ok()) {
    // A job that runs there may be the reason; else nothing changes any more.
    PODSIM_ASSIGN_OR_RETURN(const auto hold, HoldModelDir(*store, job.plan));
    start = FindStart(*store, job.spec, job.plan);
  }
  PODSIM_RETURN_IF_ERROR(start.status());
  PODSIM_RETURN_IF_ERROR(CheckTracedRun(*start, job));
  return RowsOf(*start, job);
}

std::vector<TextRow> NotLookedAt(absl::string_view why) {
  return {
      {"start", absl::StrCat("not known, no checkpoint was looked at: ", why)}};
}

// Of a plan alone, which can do without: what it did not look at, and what a
// run's own processes would say of the model_dir.
absl::StatusOr<std::vector<TextRow>> StartRowsOfPlan(const PlannedJob& job) {
  if (job.plan.bits().dataset().fingerprint().empty()) {
    PODSIM_RETURN_IF_ERROR(
        CheckTracedSteps(job.plan.spec(), 0, job.plan.train_steps()));
    return job.spec.model_dir().empty() && job.spec.restore().empty()
               ? std::vector<TextRow>()
               : NotLookedAt(
                     "the data, with which it is compared, was not read");
  }
  const auto store = NewUriStore();
  const absl::StatusOr<RunStart> start = FindStart(*store, job.spec, job.plan);
  const absl::Status& why = start.status();
  if (absl::IsUnavailable(why) || absl::IsUnauthenticated(why) ||
      absl::IsPermissionDenied(why))
    return NotLookedAt(why.message());
  PODSIM_RETURN_IF_ERROR(why);
  PODSIM_RETURN_IF_ERROR(CheckTracedRun(*start, job));
  std::vector<TextRow> rows = RowsOf(*start, job);
  for (const std::string& note : start->notes)
    rows.push_back({"model_dir", note});
  return rows;
}

std::string HashText(const PlannedJob& job, bool verbose) {
  if (job.plan.bits().dataset().fingerprint().empty())
    return "not known (the data was not read)";
  const std::string& hash = job.plan.hash();
  return verbose ? absl::StrCat(hash, ", if every process runs isa ",
                                job.plan.bits().isa(), " as this machine does")
                 : hash;
}

// A plan alone says nothing of what listens on this machine now.
absl::Status CheckPortsOf(const ParsedFlags& flags, int hosts) {
  const AskedPorts asked = {
      .listen = flags.elsewhere.listen(),
      .monitor = flags.monitor,
      .hosts = hosts,
      .allow_plaintext_network = flags.elsewhere.allow_plaintext_network()};
  PODSIM_RETURN_IF_ERROR(CheckPorts(asked));
  return flags.action == LaunchAction::kTrain ? CheckPortsAreFree(asked)
                                              : absl::OkStatus();
}

absl::StatusOr<int> PlanAndRun(const LaunchContext& context,
                               const ParsedFlags& flags, Console& console,
                               const Clock& clock, Origins& origins) {
  PODSIM_ASSIGN_OR_RETURN(const JobSpec spec, MergedSpec(flags, origins));
  if (spec.has_bench()) {
    return absl::InvalidArgumentError(
        "the job measures collectives (bench), which is pod_bench's to run; "
        "leave bench out of the job, or run pod_bench all_reduce");
  }
  if (flags.action == LaunchAction::kPrintJob)
    return PrintWholeJob(spec, flags.elsewhere.external_hosts(), console);
  if (flags.action == LaunchAction::kWriteModel)
    return WriteModel(spec, flags.settings, console);
  PODSIM_RETURN_IF_ERROR(CheckTraceSettings(spec));
  const bool dry_run = flags.action == LaunchAction::kDryRun;
  std::optional<StoreWaits::Limit> limit;
  if (dry_run) limit.emplace(ProcessStoreWaits(), kPlanWait, kPlanWaits);
  PODSIM_RETURN_IF_ERROR(CheckOutputs(spec, flags.settings));
  if (flags.action == LaunchAction::kTrain)
    PODSIM_RETURN_IF_ERROR(CheckToken(flags.elsewhere, context.variables));
  absl::StatusOr<PlannedJob> planned =
      PlannedFrom(spec, flags.elsewhere.external_hosts());
  if (IsOfFaultPlan(planned.status()) && flags.settings.has_faults())
    return InFaultFile(planned.status(), FaultOf(planned.status()),
                       flags.settings.faults());
  PODSIM_ASSIGN_OR_RETURN(const PlannedJob job, std::move(planned));
  PODSIM_RETURN_IF_ERROR(CheckPortsOf(flags, job.slice.hosts));
  if (flags.action == LaunchAction::kTrain) {
    PODSIM_RETURN_IF_ERROR(Annotate(CheckTrains(job.slice), "topology"));
    PODSIM_RETURN_IF_ERROR(AdmitPlannedRun(
        job.plan, flags.elsewhere.external_hosts() ? 0 : AvailableCpus()));
  }
  if (!dry_run && job.plan.bits().dataset().fingerprint().empty())
    return absl::InvalidArgumentError(absl::StrCat(
        "data_dir is ", job.spec.data_dir(),
        ", which has shapes for a plan alone; add --dry_run, or give a "
        "data_dir with examples"));
  PendingForecast forecast(job);
  const PlanStyle style = {.width = WidthOf(context, console),
                           .verbose = flags.settings.verbose(),
                           .external_hosts = flags.elsewhere.external_hosts()};
  PODSIM_ASSIGN_OR_RETURN(const std::vector<TextRow> start,
                          dry_run ? StartRowsOfPlan(job) : StartRowsOfRun(job));
  if (flags.settings.quiet()) {
    const std::string warnings = FormatWarnings(job.plan, style);
    if (!warnings.empty()) console.Line(warnings);
  } else {
    std::vector<TextRow> rows = forecast.TakeRows(
        style.verbose, dry_run ? absl::InfiniteDuration() : kForecastWait);
    if (!style.verbose && !job.data_notes.empty())
      rows.insert(rows.begin(), {"data", absl::StrJoin(job.data_notes, "; ")});
    rows.insert(rows.end(), start.begin(), start.end());
    if (dry_run)
      rows.push_back(
          {"plan hash", HashText(job, style.verbose), PlanRank::kHash});
    console.Line(FormatPlan(job.plan, job.slice, style, rows));
  }
  if (dry_run) return kDone;
  return RunTraining(context, flags, job, forecast, console, clock);
}

// In `origins` where the job's settings come from, also of a job that fails.
absl::StatusOr<int> Act(const LaunchContext& context, Console& console,
                        const Clock& clock, Origins& origins) {
  PODSIM_ASSIGN_OR_RETURN(ParsedFlags flags,
                          ParseFlags(context.arguments, context.variables));
  origins = flags.origins;
  if (flags.action != LaunchAction::kText) {
    PODSIM_RETURN_IF_ERROR(CheckVariableNames(context.variables));
    for (const std::string& unknown : UnknownVariables(context.variables))
      console.Error(absl::StrCat("warning: ", unknown));
  }
  if (flags.settings.has_hardware()) {
    auto read = ReadHardware(flags.settings.hardware());
    PODSIM_RETURN_IF_ERROR(OfFile("hardware", flags, read.status()));
    *flags.spec.mutable_hardware() = *std::move(read);
  }
  switch (flags.action) {
    case LaunchAction::kText:
      console.Line(flags.text);
      return kDone;
    case LaunchAction::kDescribe:
      return DescribeSlice(context, flags, console);
    case LaunchAction::kPrintHardware:
      return PrintHardware(flags, console);
    case LaunchAction::kPrintCompose:
      return PrintCompose(flags, console);
    case LaunchAction::kSelfTest:
      return SelfTest(context, flags.spec, console);
    case LaunchAction::kTrain:
    case LaunchAction::kDryRun:
    case LaunchAction::kPrintJob:
    case LaunchAction::kWriteModel:
      break;
  }
  return PlanAndRun(context, flags, console, clock, origins);
}

}  // namespace

int Launch(const LaunchContext& context, Console& console, const Clock& clock) {
  Origins origins;
  const absl::StatusOr<int> code = Act(context, console, clock, origins);
  if (code.ok()) return *code;
  return Refuse(NamePasted(WithOrigin(code.status(), origins), PodLaunch(),
                           context.arguments, context.variables, origins),
                console);
}

}  // namespace podsim
