#include "runtime/ladder/ladder_job.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/units.h"
#include "host/input/fields.h"
#include "runtime/files/choices_file.h"
#include "runtime/files/geography_file.h"
#include "runtime/files/hardware_file.h"
#include "runtime/files/job_file.h"
#include "runtime/job/ici_fault.h"
#include "runtime/job/planner.h"
#include "runtime/job/spec_check.h"
#include "runtime/plan/slice_list.h"
#include "settings/setting.h"

namespace podsim {
namespace {

constexpr char kDefaultLadder[] = "v3-8..v3-128";

absl::Status ReadFiles(const LadderSettings& settings, JobSpec& job) {
  if (settings.has_hardware()) {
    PODSIM_ASSIGN_OR_RETURN(*job.mutable_hardware(),
                            ReadHardware(settings.hardware()));
  }
  if (settings.has_choices()) {
    PODSIM_ASSIGN_OR_RETURN(*job.mutable_choices(),
                            ReadChoices(settings.choices()));
  }
  if (settings.has_links()) {
    PODSIM_ASSIGN_OR_RETURN(*job.mutable_links(), ReadLinks(settings.links()));
  }
  if (settings.has_prices()) {
    PODSIM_ASSIGN_OR_RETURN(*job.mutable_prices(),
                            ReadPrices(settings.prices()));
  }
  return absl::OkStatus();
}

// Of one run alone, but for the slice and the length.
absl::Status CheckIsOfEachRun(const JobSpec& job) {
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  job.GetReflection()->ListFields(job, &fields);
  for (const auto* field : fields) {
    const std::string& name = field->name();
    if (!SettingOf(*field).one_run() || name == "topology" ||
        name == "train_steps")
      continue;
    return absl::InvalidArgumentError(
        absl::StrCat(name,
                     " is a setting of one run, and a ladder has one on "
                     "each slice: leave it out of the job; --ladder_dir "
                     "keeps each slice's metrics"));
  }
  if (job.has_bench())
    return absl::InvalidArgumentError(
        "the job measures collectives (bench): leave bench out of it");
  if (job.has_faults())
    return absl::InvalidArgumentError(
        "the job injects faults, with which slices cannot be compared: leave "
        "faults out of it");
  return absl::OkStatus();
}

bool HasLength(const JobSpec& job) {
  return job.has_train_steps() || job.has_epochs();
}

bool HasReference(const JobSpec& job) {
  return job.has_reference_topology() || job.has_reference_batch_size();
}

bool HasRecipe(const JobSpec& job) {
  return !job.has_model_file() && !IsOfShards(job.dataset());
}

// Of the first rung, which is the reference; as much as the recipe has.
absl::Status FillLength(const Slice& first, JobSpec& job) {
  if (HasLength(job)) return absl::OkStatus();
  if (!HasRecipe(job)) {
    job.set_train_steps(kOwnModelSteps);
    return absl::OkStatus();
  }
  JobSpec there = job;
  there.set_topology(first.name);
  PODSIM_ASSIGN_OR_RETURN(const JobSpec whole, ApplyRecipe(there));
  if (whole.train_steps() > kMostDefaultSteps)
    job.set_train_steps(kMostDefaultSteps);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<JobSpec> JobOfLadder(const LadderSettings& settings,
                                    const JobSpec& flags, Origins& origins) {
  JobSpec job = flags;
  PODSIM_RETURN_IF_ERROR(ReadFiles(settings, job));
  if (settings.has_job()) {
    Origins lines;
    PODSIM_ASSIGN_OR_RETURN(const JobSpec file,
                            ReadJobFile(settings.job(), lines));
    origins = MergeOrigins(std::move(lines), job, {});
    job = MergeSpecs(file, job);
  }
  PODSIM_RETURN_IF_ERROR(CheckIsOfEachRun(job));
  // A file may say several slices as well.
  JobSpec of_each = job;
  of_each.clear_topology();
  PODSIM_RETURN_IF_ERROR(CheckSpec(of_each));
  return job;
}

absl::StatusOr<std::vector<Slice>> SlicesOfLadder(
    const LadderSettings& settings, const JobSpec& job) {
  std::vector<std::string> names(settings.topology().begin(),
                                 settings.topology().end());
  if (names.empty())
    names = {job.has_topology() ? job.topology() : kDefaultLadder};
  const Hardware hardware = HardwareOf(job);
  PODSIM_ASSIGN_OR_RETURN(std::vector<Slice> slices,
                          SlicesNamed(names, SliceOptionsOf(job, hardware)));
  std::set<std::string> seen;
  for (const Slice& slice : slices) {
    PODSIM_RETURN_IF_ERROR(Annotate(CheckTrains(slice), "topology"));
    if (!seen.insert(slice.name).second)
      return absl::InvalidArgumentError(absl::StrCat(
          "topology names ", slice.name, " twice: a slice is one rung"));
  }
  for (std::size_t i = 1; i < slices.size(); ++i)
    if (slices[i].chips < slices[i - 1].chips)
      return absl::InvalidArgumentError(
          absl::StrCat("topology has ", slices[i].name, " after ",
                       slices[i - 1].name, ": give the smaller slice first"));
  return WithIciFault(std::move(slices), job);
}

absl::StatusOr<JobSpec> ScaledFromFirst(const LadderSettings& settings,
                                        const JobSpec& asked,
                                        const Slice& first) {
  JobSpec job = asked;
  job.clear_topology();
  if (!job.has_processes()) job.set_processes(1);
  if (settings.has_steps()) {
    if (job.has_epochs())
      return absl::InvalidArgumentError(
          "--steps and --epochs both set the length of the runs: give one of "
          "them");
    job.set_train_steps(settings.steps());
  }
  if (HasReference(job)) {
    if (!HasLength(job) && !HasRecipe(job)) job.set_train_steps(kOwnModelSteps);
    return job;
  }
  if (job.has_train_batch_size())
    job.set_reference_batch_size(job.train_batch_size());
  else
    job.set_reference_topology(first.name);
  PODSIM_RETURN_IF_ERROR(FillLength(first, job));
  return job;
}

namespace {

// "0.5" of "efficiency:50%", "Efficiency=0.5" and "0.5"; else an example.
std::string MeantLimit(const std::string& until) {
  const std::string text = absl::AsciiStrToLower(until);
  const std::size_t digits = text.find_first_of("0123456789.");
  const std::size_t end = text.find_last_of("0123456789.");
  double given = 0;
  if (digits == text.npos || (digits > 0 && !absl::StartsWith(text, "ef")) ||
      text.find('-') != text.npos ||
      !absl::SimpleAtod(text.substr(digits, end - digits + 1), &given))
    return "0.8";
  if (given > 1 || absl::EndsWith(text, "%")) given /= 100;
  return given > 0 && given <= 1 ? absl::StrCat(given) : "0.8";
}

}  // namespace

absl::StatusOr<RungLimits> LimitsOf(const std::string& until) {
  RungLimits limits;
  if (until.empty()) return limits;
  absl::string_view text = until;
  double least = 0;
  if (absl::ConsumePrefix(&text, "efficiency:") &&
      absl::SimpleAtod(text, &least) && least > 0 && least <= 1) {
    limits.least_efficiency = least;
    return limits;
  }
  constexpr std::size_t kLongestShown = 64;
  return absl::InvalidArgumentError(absl::StrCat(
      "--until is \"", PrintableLine(until.substr(0, kLongestShown)),
      "\"; give efficiency:X with X above 0 and at most 1, such as efficiency:",
      MeantLimit(until)));
}

absl::Status CheckExamples(const Ladder& ladder) {
  const JobPlan& first = FirstPlan(ladder);
  const auto examples = [](const JobPlan& plan) {
    return plan.train_steps() * plan.global_batch();
  };
  for (const LadderRow& row : ladder.rows) {
    if (!row.status.ok()) continue;
    const std::int64_t most =
        std::max(row.plan.global_batch(), first.global_batch());
    if (std::abs(examples(row.plan) - examples(first)) < most) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "a ladder compares slices after as many examples, but ",
        ladder.rows.front().slice.name, " trains on ",
        FormatCount(examples(first)), " and ", row.slice.name, " on ",
        FormatCount(examples(row.plan)),
        ": leave reference_topology out, or give reference_batch_size"));
  }
  return absl::OkStatus();
}

RungPlan RungPlanOf(const LadderRow& row) {
  if (!row.status.ok())
    return {.slice = row.slice.name,
            .refused = std::string(row.status.message()),
            .beyond_hbm = absl::IsResourceExhausted(row.status),
            .chips = row.slice.chips};
  return {.slice = row.slice.name,
          .chips = row.slice.chips,
          .batch_per_core = row.plan.bits().batch_per_core(),
          .global_batch = row.plan.global_batch(),
          .steps = row.plan.train_steps(),
          .learning_rate = row.plan.bits().learning_rate().peak(),
          .step_seconds = row.forecast.step.total.seconds(),
          .efficiency = row.efficiency};
}

}  // namespace podsim
