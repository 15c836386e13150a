#include "runtime/plan/pod_plan.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "base/text_table.h"
#include "host/storage/posix_file.h"
#include "host/storage/store_waits.h"
#include "host/storage/uri_store.h"
#include "proto/plan.pb.h"
#include "runtime/coordinator/plan_inputs.h"
#include "runtime/files/geography_file.h"
#include "runtime/files/hardware_file.h"
#include "runtime/files/job_file.h"
#include "runtime/files/output_clash.h"
#include "runtime/files/output_files.h"
#include "runtime/job/ici_fault.h"
#include "runtime/job/spec_check.h"
#include "runtime/plan/explain_hbm.h"
#include "runtime/plan/explain_json.h"
#include "runtime/plan/explain_text.h"
#include "runtime/plan/ladder.h"
#include "runtime/plan/ladder_json.h"
#include "runtime/plan/ladder_plot.h"
#include "runtime/plan/ladder_question.h"
#include "runtime/plan/ladder_table.h"
#include "runtime/plan/largest_batch.h"
#include "runtime/plan/measured_rows.h"
#include "runtime/plan/measured_run.h"
#include "runtime/plan/plan_collective.h"
#include "runtime/plan/plan_explanation.h"
#include "runtime/plan/planned_links.h"
#include "runtime/plan/question_check.h"
#include "runtime/plan/refused_hbm.h"
#include "runtime/plan/slice_list.h"
#include "settings/command_line.h"
#include "settings/origins.h"
#include "settings/pasted.h"
#include "settings/programs.h"
#include "settings/words.h"

namespace podsim {
namespace {

constexpr char kDefaultLadder[] = "v3-8..v3-2048";

// What is known of a refusal beside its reason.
struct Refusal {
  Origins origins;      // of what a job file says
  std::string details;  // as of PlanResult
};

// The job of file and flags; its topology is the ladder's.
absl::StatusOr<JobSpec> JobOf(const PlanSettings& settings,
                              const JobSpec& flags, LadderBatch batch,
                              Origins& origins) {
  JobSpec job = flags;
  if (settings.has_links()) {
    PODSIM_ASSIGN_OR_RETURN(*job.mutable_links(), ReadLinks(settings.links()));
  }
  if (settings.has_prices()) {
    PODSIM_ASSIGN_OR_RETURN(*job.mutable_prices(),
                            ReadPrices(settings.prices()));
  }
  if (settings.has_job()) {
    Origins lines;
    PODSIM_ASSIGN_OR_RETURN(const JobSpec file,
                            ReadJobFile(settings.job(), lines));
    origins = MergeOrigins(std::move(lines), job, {});
    if (settings.topology_size() > 0) origins.erase("topology");
    job = MergeSpecs(file, job);
  }
  if (batch == LadderBatch::kLargest) {
    if (!flags.has_batch_per_core()) job.clear_batch_per_core();
    if (!flags.has_train_batch_size()) job.clear_train_batch_size();
    PODSIM_RETURN_IF_ERROR(CheckLargestBatch(job));
  }
  if (job.has_bench())
    return absl::InvalidArgumentError(
        "the job measures collectives (bench): leave bench out of it, or price "
        "them with pod_plan --collective all_reduce");
  if (settings.ici_algorithm_size() > 1)
    return absl::InvalidArgumentError(absl::StrCat(
        "ici_algorithm is ",
        absl::StrJoin(
            WordsIn<words::IciAlgorithm::Word>(settings.ici_algorithm()), ","),
        "; a job takes one algorithm: give one of them, or auto"));
  if (settings.ici_algorithm_size() == 1)
    job.set_ici_algorithm(settings.ici_algorithm(0));
  // A file may say several slices as well.
  JobSpec of_each = job;
  of_each.clear_topology();
  PODSIM_RETURN_IF_ERROR(CheckSpec(of_each));
  return job;
}

// As flags or the job file say them; none: neither does.
std::vector<std::string> NamedSlices(const PlanSettings& settings,
                                     const JobSpec& job) {
  std::vector<std::string> names(settings.topology().begin(),
                                 settings.topology().end());
  if (names.empty() && job.has_topology())
    names = absl::StrSplit(job.topology(), ',');
  return names;
}

// What --explain tells of.
absl::Status CheckIsOneSlice(const std::vector<std::string>& names,
                             const std::vector<Slice>& slices) {
  if (names.empty())
    return absl::InvalidArgumentError(
        "--explain tells of one slice, and none is given: say which, as in "
        "--topology v3-8");
  if (slices.size() == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "topology is ", absl::StrJoin(names, ","), ", ", slices.size(),
      " slices, but --explain tells of one: give one of them, as in "
      "--topology ",
      slices.front().name));
}

absl::StatusOr<std::vector<Slice>> LadderSlices(const PlanSettings& settings,
                                                const JobSpec& job,
                                                const Hardware& hardware) {
  const std::vector<std::string> named = NamedSlices(settings, job);
  std::vector<std::string> names = named;
  if (names.empty()) names = {kDefaultLadder};
  PODSIM_ASSIGN_OR_RETURN(std::vector<Slice> slices,
                          SlicesNamed(names, SliceOptionsOf(job, hardware)));
  if (settings.explain())
    PODSIM_RETURN_IF_ERROR(CheckIsOneSlice(named, slices));
  PODSIM_RETURN_IF_ERROR(CheckNoneTwice(slices));
  return WithIciFault(std::move(slices), job);
}

// The data set is the same on every slice that the batch fits.
absl::StatusOr<PlanInputs> InputsFor(const JobSpec& job,
                                     const std::vector<Slice>& slices) {
  JobSpec any = job;
  const auto fits = std::ranges::find_if(slices, [&job](const Slice& slice) {
    return job.train_batch_size() % slice.replicas == 0;
  });
  any.set_topology(fits == slices.end() ? slices.front().name : fits->name);
  const StoreWaits::Limit limit(ProcessStoreWaits(), kPlanWait, kPlanWaits);
  return GatherPlanInputs(any, /*one_machine=*/false);
}

absl::StatusOr<std::string> LadderText(const PlanSettings& settings,
                                       const Ladder& ladder,
                                       const LadderQuestion& asked,
                                       int columns) {
  if (!settings.explain())
    return settings.json() ? FormatLadderJson(ladder, asked)
                           : FormatLadder(ladder, asked, columns);
  PODSIM_ASSIGN_OR_RETURN(const PlanExplanation explained,
                          ExplainRow(ladder.rows.front()));
  if (!settings.json()) return FormatExplanation(ladder, explained, columns);
  PODSIM_ASSIGN_OR_RETURN(const PlannedLinks links,
                          LinksOfStep(ladder.rows.front()));
  return FormatLadderJson(ladder, asked,
                          FormatExplanationJson(explained, links));
}

absl::StatusOr<std::vector<MeasuredRun>> MeasuredRuns(
    const PlanSettings& settings, std::vector<std::string>& notes) {
  if (settings.measured().empty()) return std::vector<MeasuredRun>{};
  auto runs = ReadMeasured(*NewUriStore(),
                           std::vector<std::string>(settings.measured().begin(),
                                                    settings.measured().end()),
                           notes);
  PODSIM_RETURN_IF_ERROR(Annotate(runs.status(), "--measured"));
  return runs;
}

// What fills the HBM of a slice that `status` refuses for want of it; empty: it
// is refused for something else.
std::string DetailsOf(const absl::Status& status, const JobSpec& job,
                      const PlanInputs& inputs, const Slice& slice,
                      LadderBatch batch, int columns) {
  if (!absl::IsResourceExhausted(status)) return "";
  const auto explained = ExplainRefused(job, inputs, slice, batch);
  if (!explained.ok() || !*explained) return "";
  return RefusedHbmText(slice, **explained, columns);
}

absl::StatusOr<std::string> PlanTraining(const PlanSettings& settings,
                                         const JobSpec& flags,
                                         LadderBatch batch, int columns,
                                         Refusal& refusal) {
  PODSIM_RETURN_IF_ERROR(CheckOutputFiles(settings));
  PODSIM_RETURN_IF_ERROR(CheckQuestionIsShown(settings));
  PODSIM_RETURN_IF_ERROR(CheckOutputsApart(FilesIn({&settings, &flags})));
  std::vector<std::string> notes;
  PODSIM_ASSIGN_OR_RETURN(const std::vector<MeasuredRun> measured,
                          MeasuredRuns(settings, notes));
  PODSIM_ASSIGN_OR_RETURN(const JobSpec job,
                          JobOf(settings, flags, batch, refusal.origins));
  // What a job file names too.
  PODSIM_RETURN_IF_ERROR(CheckOutputsApart(FilesIn({&settings, &job})));
  const Hardware hardware = HardwareOf(job);
  PODSIM_ASSIGN_OR_RETURN(const std::vector<Slice> slices,
                          LadderSlices(settings, job, hardware));
  PODSIM_ASSIGN_OR_RETURN(const LadderQuestion asked,
                          QuestionOf(settings, hardware, slices));
  PODSIM_RETURN_IF_ERROR(CheckBatchOnSome(job, slices));
  PODSIM_ASSIGN_OR_RETURN(const PlanInputs inputs, InputsFor(job, slices));
  auto ladder = PlanLadder(job, inputs, slices, batch);
  if (!ladder.ok() && settings.explain())
    refusal.details =
        DetailsOf(ladder.status(), job, inputs, slices.front(), batch, columns);
  PODSIM_RETURN_IF_ERROR(ladder.status());
  ladder->measured_notes = std::move(notes);
  ladder = WithMeasured(*std::move(ladder), measured);
  PODSIM_ASSIGN_OR_RETURN(std::string text,
                          LadderText(settings, *ladder, asked, columns));
  if (settings.has_plot()) {
    std::atomic<std::uint64_t> counter = 0;
    PODSIM_RETURN_IF_ERROR(
        WriteFileAtomically(settings.plot(), PlotLadder(*ladder), counter));
    if (!settings.json())
      absl::StrAppend(&text, "# drawn as ", settings.plot(), "\n");
  }
  return text;
}

absl::StatusOr<std::string> TextOf(PlanSettings& settings, JobSpec& job,
                                   LadderBatch batch, int columns,
                                   Refusal& refusal) {
  PODSIM_RETURN_IF_ERROR(CheckQuestion(settings, job, batch));
  if (settings.has_hardware()) {
    PODSIM_ASSIGN_OR_RETURN(*job.mutable_hardware(),
                            ReadHardware(settings.hardware()));
  }
  if (settings.verbose()) columns = kAllColumns;
  if (!settings.has_collective())
    return PlanTraining(settings, job, batch, columns, refusal);
  FillDefaults(settings);
  return PlanCollective(settings, job, HardwareOf(job), columns);
}

}  // namespace

PlanResult RunPlan(const std::vector<std::string>& args, int columns) {
  PlanSettings settings;
  JobSpec job;
  Refusal refusal;
  const auto refuse = [&](const absl::Status& status) {
    const absl::Status named = NamePasted(WithOrigin(status, refusal.origins),
                                          PodPlan(), args, {}, refusal.origins);
    return PlanResult{2, "", std::string(named.message()), refusal.details};
  };
  const AskedBatch asked = TakeLargestBatch(args);
  const LadderBatch batch =
      asked.largest ? LadderBatch::kLargest : LadderBatch::kAsAsked;
  const auto line =
      ParseCommandLine(PodPlan(), asked.args, {}, {&settings, &job});
  if (!line.ok()) return refuse(line.status());
  if (!line->text.empty()) return {0, line->text};
  const auto text = TextOf(settings, job, batch, columns, refusal);
  if (!text.ok()) return refuse(text.status());
  return {0, *text};
}

}  // namespace podsim
