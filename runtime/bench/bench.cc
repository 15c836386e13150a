#include "runtime/bench/bench.h"

#include <unistd.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/build.h"
#include "base/status.h"
#include "runtime/bench/bench_display.h"
#include "runtime/bench/bench_flags.h"
#include "runtime/bench/new_file.h"
#include "runtime/coordinator/plan_inputs.h"
#include "runtime/coordinator/ports.h"
#include "runtime/files/choices_file.h"
#include "runtime/files/output_clash.h"
#include "runtime/files/output_files.h"
#include "runtime/job/bench_settings.h"
#include "runtime/job/defaults.h"
#include "runtime/job/planner.h"
#include "runtime/job/spec_check.h"
#include "runtime/pod/elsewhere.h"
#include "runtime/pod/job_runner.h"
#include "settings/pasted.h"
#include "settings/programs.h"

namespace podsim {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kRefused = 2;
constexpr char kLeastBandwidth[] = "NCCL_TESTS_MIN_BW";

// Of the environment only what has a say in a run, and no secret.
constexpr const char* kRecordedVariables[] = {
    kLeastBandwidth, "PODSIM_COORDINATOR", "PODSIM_ALLOW_PLAINTEXT_NETWORK",
    "TPU_ACCELERATOR_TYPE", "TPU_WORKER_HOSTNAMES"};

absl::StatusOr<double> LeastBandwidth(const Variables& variables) {
  const auto text = Find(variables, kLeastBandwidth);
  if (!text.has_value()) return -1;
  double bandwidth = 0;
  if (absl::SimpleAtod(*text, &bandwidth) && bandwidth >= 0) return bandwidth;
  return absl::InvalidArgumentError(
      absl::StrCat(kLeastBandwidth, " is \"", *text,
                   "\"; give a number of GB/s, which the average must nearly "
                   "reach, without a unit, such as 10"));
}

std::string HostName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

BenchRecord BeginRecord(const LaunchContext& context, const JobPlan& plan) {
  const RunContext run = ContextOf("pod_bench", context);
  BenchRecord record = {.arguments = {"pod_bench"},
                        .start_time = TimeText(context.command_start),
                        .cpu = run.cpu,
                        .cpus = run.cpus,
                        .hostname = HostName(),
                        .build = BuildId(),
                        .plan = plan};
  record.arguments.insert(record.arguments.end(), context.arguments.begin(),
                          context.arguments.end());
  for (const char* name : kRecordedVariables) {
    if (const auto value = Find(context.variables, name)) {
      record.environment.push_back(absl::StrCat(name, "=", *value));
    }
  }
  return record;
}

absl::StatusOr<std::optional<NewFile>> CreateIfNamed(const std::string& path) {
  if (path.empty()) return std::nullopt;
  PODSIM_ASSIGN_OR_RETURN(NewFile file, NewFile::Create(path));
  return std::optional<NewFile>(std::move(file));
}

// A file that exists is never written to (NewFile), also one that is read.
absl::Status CheckNewFilesApart(const BenchFlags& flags) {
  NamedFiles files = FilesIn({&flags.settings, &flags.spec});
  std::erase_if(files.read,
                [](const NamedFile& file) { return !file.is_folder; });
  return CheckOutputsApart(files);
}

absl::StatusOr<PlannedJob> PlannedFrom(const BenchFlags& flags) {
  PlannedJob job;
  job.spec = flags.spec;
  if (flags.elsewhere.external_hosts()) FillExternalDefaults(job.spec);
  if (flags.settings.has_choices()) {
    PODSIM_ASSIGN_OR_RETURN(*job.spec.mutable_choices(),
                            ReadChoices(flags.settings.choices()));
  }
  PODSIM_ASSIGN_OR_RETURN(
      const PlanInputs inputs,
      GatherPlanInputs(job.spec, !flags.elsewhere.external_hosts()));
  PODSIM_ASSIGN_OR_RETURN(job.plan, PlanJob(job.spec, inputs));
  PODSIM_ASSIGN_OR_RETURN(job.slice,
                          SliceNamed(job.plan.bits().slice(), job.spec));
  return job;
}

absl::StatusOr<int> PlanAndRun(const LaunchContext& context, Console& console,
                               const Clock& clock) {
  PODSIM_ASSIGN_OR_RETURN(
      const BenchFlags flags,
      ParseBenchFlags(context.arguments, context.variables));
  if (!flags.text.empty()) {
    console.Line(flags.text);
    return kDone;
  }
  PODSIM_RETURN_IF_ERROR(CheckVariableNames(context.variables));
  for (const std::string& unknown : UnknownVariables(context.variables))
    console.Error(absl::StrCat("warning: ", unknown));
  PODSIM_ASSIGN_OR_RETURN(const double least_bandwidth,
                          LeastBandwidth(context.variables));
  PODSIM_RETURN_IF_ERROR(CheckOutputFiles(flags.settings));
  PODSIM_RETURN_IF_ERROR(CheckOutputFolder("log_dir", flags.spec.log_dir()));
  PODSIM_RETURN_IF_ERROR(CheckNewFilesApart(flags));
  PODSIM_RETURN_IF_ERROR(CheckToken(flags.elsewhere, context.variables));
  PODSIM_ASSIGN_OR_RETURN(const PlannedJob job, PlannedFrom(flags));
  PODSIM_RETURN_IF_ERROR(
      CheckPortsAreFree({.listen = flags.elsewhere.listen(), .monitor = {}}));
  for (const std::string& unused : UnusedBenchSettings(flags.spec.bench()))
    console.Line(absl::StrCat("# note: ", unused));
  PODSIM_ASSIGN_OR_RETURN(std::optional<NewFile> json,
                          CreateIfNamed(flags.settings.output_file()));
  PODSIM_ASSIGN_OR_RETURN(std::optional<NewFile> choices,
                          CreateIfNamed(flags.settings.write_choices()));
  BenchRecord record = BeginRecord(context, job.plan);
  record.smallest_bandwidth = least_bandwidth;
  record.external_hosts = flags.elsewhere.external_hosts();
  // Before anything is measured, which it would disturb.
  if (flags.settings.sim()) record.sim = SimPricesOf(job.slice, job.plan);
  BenchDisplay display(
      {.slice = job.slice,
       .record = std::move(record),
       .timestamps = flags.settings.report_timestamps(),
       .memory = flags.settings.memory()},
      console, {.json = std::move(json), .choices = std::move(choices)}, clock);
  return RunPodJob(context, flags.elsewhere, job, console, clock, display);
}

}  // namespace

int Bench(const LaunchContext& context, Console& console, const Clock& clock) {
  const absl::StatusOr<int> code = PlanAndRun(context, console, clock);
  if (code.ok()) return *code;
  console.Error(
      absl::StrCat("error: ", NamePasted(code.status(), PodBench(),
                                         context.arguments, context.variables)
                                  .message()));
  // A file that is not there was typed, too.
  return absl::IsInvalidArgument(code.status()) ||
                 absl::IsNotFound(code.status()) ||
                 absl::IsPermissionDenied(code.status()) ||
                 absl::IsResourceExhausted(code.status())
             ? kRefused
             : kFailed;
}

}  // namespace podsim
