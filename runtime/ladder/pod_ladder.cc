#include "runtime/ladder/pod_ladder.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/text_table.h"
#include "base/units.h"
#include "host/storage/posix_file.h"
#include "host/storage/uri_store.h"
#include "proto/plan.pb.h"
#include "runtime/coordinator/plan_inputs.h"
#include "runtime/files/job_file.h"
#include "runtime/files/output_clash.h"
#include "runtime/files/output_files.h"
#include "runtime/ladder/climb.h"
#include "runtime/ladder/climb_json.h"
#include "runtime/ladder/climb_page.h"
#include "runtime/ladder/climb_plot.h"
#include "runtime/ladder/climb_table.h"
#include "runtime/ladder/ladder_job.h"
#include "runtime/ladder/read_run.h"
#include "runtime/ladder/rung_files.h"
#include "runtime/ladder/train_child.h"
#include "runtime/plan/ladder_table.h"
#include "runtime/pod/stop_signals.h"
#include "runtime/report/failure.h"
#include "runtime/report/text_width.h"
#include "settings/command_line.h"
#include "settings/origins.h"
#include "settings/pasted.h"
#include "settings/programs.h"

namespace podsim {
namespace {

constexpr int kDone = 0;
constexpr int kOneFailed = 1;
constexpr int kRefused = 2;

struct Asked {
  LadderSettings settings;
  JobSpec flags;
  Origins origins;  // of what a job file says
};

// The job, its plans and what came of them so far.
struct Planned {
  JobSpec job;  // of each rung, but for its slice and seed
  Climb climb;
  std::vector<std::string> hashes;  // of each rung's plan; empty: none
  bool has_default_model = false;   // the job's is nobody's choice
};

// The results are a file of --ladder_dir.
absl::Status CheckApart(const LadderSettings& settings, const JobSpec& job,
                        const RungFiles& files) {
  NamedFiles named = FilesIn({&settings, &job});
  if (files.kept())
    named.read.push_back({.name = "--ladder_dir", .path = files.results()});
  return CheckOutputsApart(named);
}

absl::Status CheckReport(const LadderSettings& settings) {
  PODSIM_RETURN_IF_ERROR(CheckPageName("report", settings.report()));
  return CheckOutputFiles(settings);
}

absl::Status CheckAsked(const LadderSettings& settings) {
  PODSIM_RETURN_IF_ERROR(CheckReport(settings));
  if (settings.resume() && settings.ladder_dir().empty())
    return absl::InvalidArgumentError(
        "--resume needs --ladder_dir, where an earlier ladder kept its "
        "results");
  return absl::OkStatus();
}

// The data set is the same on every slice.
absl::StatusOr<Ladder> PlanRungs(const JobSpec& job,
                                 const std::vector<Slice>& slices) {
  PODSIM_RETURN_IF_ERROR(CheckBatchOnSome(job, slices));
  JobSpec any = job;
  any.set_topology(slices.front().name);
  PODSIM_ASSIGN_OR_RETURN(const PlanInputs inputs,
                          GatherPlanInputs(any, /*one_machine=*/true));
  if (inputs.dataset.fingerprint().empty())
    return absl::InvalidArgumentError(absl::StrCat(
        "data_dir is ", job.data_dir(),
        ", which has shapes for a plan alone; give a data_dir with examples, "
        "or ask pod_plan"));
  PODSIM_ASSIGN_OR_RETURN(Ladder ladder, PlanLadder(job, inputs, slices));
  // Without the first nothing can be compared.
  PODSIM_RETURN_IF_ERROR(ladder.rows.front().status);
  PODSIM_RETURN_IF_ERROR(CheckExamples(ladder));
  return ladder;
}

absl::StatusOr<Planned> PlanClimb(Asked& asked) {
  Planned planned;
  PODSIM_ASSIGN_OR_RETURN(planned.climb.limits,
                          LimitsOf(asked.settings.until()));
  PODSIM_ASSIGN_OR_RETURN(
      const JobSpec job,
      JobOfLadder(asked.settings, asked.flags, asked.origins));
  PODSIM_ASSIGN_OR_RETURN(const std::vector<Slice> slices,
                          SlicesOfLadder(asked.settings, job));
  PODSIM_ASSIGN_OR_RETURN(planned.job,
                          ScaledFromFirst(asked.settings, job, slices.front()));
  PODSIM_ASSIGN_OR_RETURN(const Ladder ladder, PlanRungs(planned.job, slices));
  // What --resume compares: a model by default is the same as one by name.
  planned.has_default_model =
      !planned.job.has_model() && !planned.job.has_model_file();
  if (planned.has_default_model)
    planned.job.set_model(FirstPlan(ladder).spec().model());
  planned.climb.job = LadderJobText(ladder);
  planned.climb.strong = ladder.strong;
  for (int i = 0; i < kFirstRungSeeds; ++i)
    planned.climb.seeds.push_back(planned.job.seed() + i);
  for (const LadderRow& row : ladder.rows) {
    planned.climb.rungs.push_back({.plan = RungPlanOf(row)});
    planned.hashes.push_back(row.status.ok() ? row.plan.hash() : "");
  }
  return planned;
}

// What an earlier ladder in the folder has, if the job goes on there.
absl::Status BeginIn(const RungFiles& files, const LadderSettings& settings,
                     Planned& planned) {
  if (!files.kept()) return absl::OkStatus();
  const absl::StatusOr<LadderResults> results = ReadResults(files.results());
  if (absl::IsNotFound(results.status()))
    return settings.resume()
               ? absl::InvalidArgumentError(absl::StrCat(
                     "there is no ", files.results(),
                     " to go on from: leave --resume out to begin there"))
               : absl::OkStatus();
  if (!settings.resume())
    return absl::InvalidArgumentError(absl::StrCat(
        files.results(),
        " has an earlier ladder: add --resume to go on, or give another "
        "--ladder_dir"));
  PODSIM_RETURN_IF_ERROR(results.status());
  LadderSettingTexts then = results->settings;
  // Results of earlier versions do not say a model by default.
  if (planned.has_default_model && !then.contains("model_file"))
    then.try_emplace("model", planned.job.model());
  const std::string difference = DifferenceOf(TextsOfJob(planned.job), then);
  if (!difference.empty())
    return absl::InvalidArgumentError(absl::StrCat(
        "--resume goes on with the job of ", files.results(), ", but ",
        difference, ": give the same, or another --ladder_dir"));
  return TakeResults(*results, planned.hashes, planned.climb);
}

// One pod_launch after the other.
class Trainer {
 public:
  Trainer(const LaunchContext& context, const JobSpec& job,
          const RungFiles& files, const StopSignals& signals, bool shows,
          Console& console, const Clock& clock)
      : context_(context),
        job_(job),
        files_(files),
        signals_(signals),
        shows_(shows && console.live()),
        console_(console),
        clock_(clock) {}

  absl::StatusOr<RungRun> Train(const Rung& rung, std::uint64_t seed) {
    Show(rung, seed);
    PODSIM_ASSIGN_OR_RETURN(
        const RungFiles::OfRun files,
        files_.ForRun(rung.plan.slice, seed, rung.runs.empty()));
    PODSIM_RETURN_IF_ERROR(WriteJob(rung.plan.slice, seed, files));
    PODSIM_ASSIGN_OR_RETURN(
        const ChildEnd ended,
        RunToItsEnd(LaunchCommand(context_.program_dir, files.job), signals_,
                    console_, clock_));
    if (ended.stop_signal != 0) {
      stop_signal_ = ended.stop_signal;
      return absl::CancelledError(
          absl::StrCat("stopped by ", DescribeSignal(stop_signal_)));
    }
    return RunOf(files, seed, ended);
  }

  int stop_signal() const { return stop_signal_; }

 private:
  void Show(const Rung& rung, std::uint64_t seed) {
    if (!shows_) return;
    console_.Live(absl::StrCat(
        rung.plan.slice, ": ", FormatCount(rung.plan.steps), " steps of ",
        FormatCount(rung.plan.global_batch), " examples, seed ", seed));
  }

  // An earlier attempt's metrics are moved away, so that they are not taken for
  // those of a run that is refused before it has any.
  absl::Status WriteJob(const std::string& slice, std::uint64_t seed,
                        const RungFiles::OfRun& files) {
    JobSpec job = job_;
    job.set_topology(slice);
    job.set_seed(seed);
    job.set_metrics_file(files.metrics);
    std::error_code error;
    std::filesystem::rename(files.metrics, files.metrics + ".earlier", error);
    return WriteFileAtomically(
        files.job, absl::StrCat("# from pod_ladder\n", PrintJob(job)),
        counter_);
  }

  static absl::StatusOr<RungRun> RunOf(const RungFiles::OfRun& files,
                                       std::uint64_t seed,
                                       const ChildEnd& ended) {
    const absl::StatusOr<std::string> text = NewUriStore()->Read(files.metrics);
    // What is refused before it starts has no metrics.
    if (!text.ok() && !ended.end.clean())
      return RungRun{.seed = seed, .failure = FailureOf(ended)};
    PODSIM_RETURN_IF_ERROR(text.status());
    PODSIM_ASSIGN_OR_RETURN(RungRun run, ReadRun(*text, files.metrics, seed));
    if (ended.end.clean()) return run;
    if (run.plan_hash.empty() || run.failure.empty())
      run.failure = FailureOf(ended);
    run.not_finite = IsOfNumbers(run.failure);
    return run;
  }

  const LaunchContext& context_;
  const JobSpec& job_;
  const RungFiles& files_;
  const StopSignals& signals_;
  const bool shows_;
  Console& console_;
  const Clock& clock_;
  std::atomic<std::uint64_t> counter_ = 0;
  int stop_signal_ = 0;
};

// To each place that is asked for.
absl::Status WritePages(const LadderSettings& settings, const RungFiles& files,
                        const Climb& climb, std::string& said) {
  std::vector<std::string> pages;
  if (settings.has_report()) pages.push_back(settings.report());
  // Before the first run there is no folder yet.
  if (files.kept() && std::filesystem::is_directory(settings.ladder_dir()))
    pages.push_back(files.page());
  if (pages.empty()) return absl::OkStatus();
  const std::string page =
      ClimbPage(climb, RunsOfClimb(climb, files, *NewUriStore()));
  std::atomic<std::uint64_t> counter = 0;
  for (const std::string& path : pages) {
    PODSIM_RETURN_IF_ERROR(WriteFileAtomically(path, page, counter));
    absl::StrAppend(&said, "# report: ", path, "\n");
  }
  return absl::OkStatus();
}

absl::Status Output(const LadderSettings& settings, const RungFiles& files,
                    const Climb& climb, int columns, Console& console) {
  std::string text =
      settings.json() ? FormatClimbJson(climb) : FormatClimb(climb, columns);
  if (settings.has_plot()) {
    std::atomic<std::uint64_t> counter = 0;
    PODSIM_RETURN_IF_ERROR(
        WriteFileAtomically(settings.plot(), PlotClimb(climb), counter));
    if (!settings.json())
      absl::StrAppend(&text, "# drawn as ", settings.plot(), "\n");
  }
  if (files.kept() && !settings.json())
    absl::StrAppend(&text, "# results: ", files.results(), "\n");
  std::string said;
  PODSIM_RETURN_IF_ERROR(WritePages(settings, files, climb, said));
  if (!settings.json()) text += said;
  if (!text.empty() && text.back() == '\n') text.pop_back();
  console.Line(text);
  return absl::OkStatus();
}

int WidthOf(const LaunchContext& context, const LadderSettings& settings,
            const Console& console) {
  return settings.verbose() ? kAllColumns
                            : TextWidth(Find(context.variables, "COLUMNS"),
                                        console.terminal_width());
}

absl::StatusOr<int> ClimbAll(const LaunchContext& context, Asked& asked,
                             Console& console, const Clock& clock) {
  const LadderSettings& settings = asked.settings;
  PODSIM_RETURN_IF_ERROR(CheckAsked(settings));
  PODSIM_RETURN_IF_ERROR(CheckPrograms(context.program_dir));
  PODSIM_ASSIGN_OR_RETURN(Planned planned, PlanClimb(asked));
  // From here on a signal ends the loop, not the process, so that a private
  // folder goes whatever happens.
  PODSIM_ASSIGN_OR_RETURN(const StopSignals signals, StopSignals::Block());
  PODSIM_ASSIGN_OR_RETURN(const RungFiles files,
                          RungFiles::Open(settings.ladder_dir()));
  PODSIM_RETURN_IF_ERROR(CheckApart(settings, planned.job, files));
  PODSIM_RETURN_IF_ERROR(BeginIn(files, settings, planned));
  console.set_stop_fd(signals.stop_fd());
  Trainer trainer(context, planned.job, files, signals, !settings.json(),
                  console, clock);
  const LadderSettingTexts texts = TextsOfJob(planned.job);
  const absl::Status climbed = ClimbOn(
      [&](const Rung& rung, std::uint64_t seed) {
        return trainer.Train(rung, seed);
      },
      [&](const Climb& climb) {
        return files.kept()
                   ? WriteResults(files.results(), ResultsOf(climb, texts))
                   : absl::OkStatus();
      },
      planned.climb);
  console.set_stop_fd(-1);
  if (!climbed.ok() && trainer.stop_signal() == 0) return climbed;
  PODSIM_RETURN_IF_ERROR(Output(settings, files, planned.climb,
                                WidthOf(context, settings, console), console));
  if (trainer.stop_signal() != 0) {
    console.Error(absl::StrCat(
        "pod_ladder: ", climbed.message(),
        files.kept() ? "; --resume goes on" : "; --ladder_dir keeps results"));
    return 128 + trainer.stop_signal();
  }
  // Whoever keeps the table in a file hears of it, too.
  if (const std::string failed = FirstFailedText(planned.climb);
      !failed.empty())
    console.Error(absl::StrCat("pod_ladder: ", failed));
  return planned.climb.failed() ? kOneFailed : kDone;
}

}  // namespace

int RunLadder(const LaunchContext& context, Console& console,
              const Clock& clock) {
  Asked asked;
  const auto refuse = [&](const absl::Status& status) {
    const absl::Status named =
        NamePasted(WithOrigin(status, asked.origins), PodLadder(),
                   context.arguments, {}, asked.origins);
    console.Error(absl::StrCat("pod_ladder: ", named.message()));
    // A job that no core holds, or a file that is not there, was typed, too.
    return absl::IsInvalidArgument(status) || absl::IsNotFound(status) ||
                   absl::IsResourceExhausted(status)
               ? kRefused
               : kOneFailed;
  };
  const auto line = ParseCommandLine(PodLadder(), context.arguments, {},
                                     {&asked.settings, &asked.flags});
  if (!line.ok()) return refuse(line.status());
  if (!line->text.empty()) {
    console.Line(line->text);
    return kDone;
  }
  const absl::StatusOr<int> code = ClimbAll(context, asked, console, clock);
  return code.ok() ? *code : refuse(code.status());
}

}  // namespace podsim
