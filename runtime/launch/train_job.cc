#include "runtime/launch/train_job.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status.h"
#include "host/board/cpu_share.h"
#include "host/storage/uri_store.h"
#include "runtime/coordinator/run_start.h"
#include "runtime/job/fit.h"
#include "runtime/job/format_plan.h"
#include "runtime/launch/job_trace.h"
#include "runtime/launch/pending_sim_step.h"
#include "runtime/report/metrics_file.h"
#include "runtime/report/reporter.h"
#include "runtime/report/text_width.h"
#include "runtime/tensorboard/board_log.h"
#include "runtime/tensorboard/place.h"
#include "runtime/tensorboard/tensorboard.h"
#include "runtime/trace/traced_moments.h"

namespace podsim {
namespace {

// For the forecast, at the first step, of which the event files have it, and
// lines are shown as they come; README's jobs take 50 ms.
constexpr absl::Duration kFirstStepWait = absl::Seconds(2);

// For the simulated step of a job that ends before it is drawn.
constexpr absl::Duration kSimStepWait = absl::Seconds(10);

// A training job's lines, metrics, event files and closing block.
class TrainingDisplay final : public JobDisplay {
 public:
  TrainingDisplay(const PlannedJob& job, PendingForecast& forecast,
                  bool shows_plan, const PlanStyle& style, Reporter& reporter,
                  std::unique_ptr<TensorBoard> board, Console& console)
      : job_(job),
        forecast_(forecast),
        shows_plan_(shows_plan),
        style_(style),
        reporter_(reporter),
        board_(std::move(board)),
        console_(console),
        moments_(job.spec),
        sim_step_(job, forecast) {}

  // A second start, which the first one's hold refuses, would else have moved
  // away the file that the first one writes.
  absl::Status Begin() override {
    const std::string path = MetricsPath(job_.spec);
    if (path.empty()) return absl::OkStatus();
    const bool asked = job_.spec.has_metrics_file();
    // Looked at now: a job that ended just before may have saved meanwhile.
    PODSIM_ASSIGN_OR_RETURN(const bool goes_on,
                            GoesOn(*NewUriStore(), job_.spec, job_.plan));
    absl::StatusOr<MetricsFile> file =
        MetricsFile::Open(path, goes_on ? MetricsFile::Start::kGoesOn
                                        : MetricsFile::Start::kFresh);
    if (!file.ok() && asked) return file.status();
    if (!file.ok()) {
      console_.Error(absl::StrCat(
          "warning: no metrics are kept: ", file.status().message(),
          "; --metrics_file names another file, or, "
          "empty, none"));
      return absl::OkStatus();
    }
    if (!file->set_aside().empty())
      console_.Line(FormatPlanRows(
          {{"metrics", absl::StrCat(path, " held an earlier job's, kept as ",
                                    file->set_aside())}}));
    reporter_.KeepIn(*std::move(file), asked);
    return absl::OkStatus();
  }

  void OnEvent(const JobEvent& event) override {
    if (shows_plan_) {
      const std::vector<TextRow> rows =
          forecast_.TakeRows(style_.verbose, absl::ZeroDuration());
      if (!rows.empty()) Note(FormatPlanRows(rows, style_));
    }
    moments_.OnEvent(event);
    reporter_.OnEvent(event);
    if (event.has_formed() && !std::exchange(has_formed_, true))
      sim_step_.Start();
    KeepSimStep(absl::ZeroDuration());
    if (board_ == nullptr) return;
    board_->OnEvent(event);
    if (const absl::Status status = board_->status(); !status.ok()) {
      WarnOfBoard(status);
      board_ = nullptr;
    }
  }
  void Note(const std::string& text) override {
    console_.KeepLive();
    console_.Note(text);
  }

  int Close(const Outcome& outcome) override {
    const bool made = outcome.exit_code == 0 || outcome.drained;
    KeepSimStep(made ? kSimStepWait : absl::ZeroDuration());
    // The record of it comes before the closing one.
    const absl::StatusOr<WrittenTrace> traced =
        WriteJobTrace(job_, outcome.trace_parts, moments_.All());
    if (traced.ok() && traced->record) reporter_.OnTrace(*traced->record);
    if (outcome.failure.has_value()) {
      reporter_.Fail(*outcome.failure);
    } else if (made) {
      if (const auto& forecast = forecast_.Get(); forecast.ok())
        reporter_.set_forecast(*forecast);
      reporter_.Finish();
    } else {
      ShowStop(outcome, console_);
    }
    if (board_ != nullptr) WarnOfBoard(board_->Close());
    if (!traced.ok())
      console_.Error(absl::StrCat("error: trace: ", traced.status().message()));
    else if (shows_plan_ && !traced->rows.empty())
      console_.Line(FormatPlanRows(traced->rows, style_));
    // A run whose figures are lost did not do what was asked.
    return outcome.exit_code == 0 && !(reporter_.status().ok() && traced.ok())
               ? 1
               : outcome.exit_code;
  }

 private:
  // Behind the line of the plan that it is of.
  void KeepSimStep(absl::Duration wait) {
    if (const auto step = sim_step_.Take(wait)) reporter_.OnSimStep(*step);
  }

  // What is drawn of a job is not worth the job.
  void WarnOfBoard(const absl::Status& written) {
    if (written.ok()) return;
    console_.KeepLive();
    console_.Error(absl::StrCat(
        "warning: TensorBoard's files are incomplete: ", written.message(),
        "; --tensorboard_dir names another folder, or, "
        "empty, none"));
  }

  const PlannedJob& job_;
  PendingForecast& forecast_;
  const bool shows_plan_;
  const PlanStyle style_;
  Reporter& reporter_;
  std::unique_ptr<TensorBoard> board_;  // null: nothing is drawn
  Console& console_;
  TracedMoments moments_;
  PendingSimStep sim_step_;
  bool has_formed_ = false;
};

// Null: the job writes no event files. Nothing is written before the pod forms.
std::unique_ptr<TensorBoard> BoardOf(const LaunchContext& context,
                                     const PlannedJob& job,
                                     PendingForecast& forecast,
                                     const std::string& plan_text,
                                     const Clock& clock) {
  const std::string folder = TensorBoardDir(job.spec);
  if (folder.empty()) return nullptr;
  return std::make_unique<TensorBoard>(
      TensorBoardOptions{
          .plan_text = plan_text,
          .command_start = context.command_start,
          .forecast =
              [&forecast] { return forecast.Find(absl::ZeroDuration()); }},
      NewBoardLog(folder, clock));
}

// Hosts that run elsewhere take nothing of this machine.
absl::Status CheckMemory(const PlannedJob& job, bool external_hosts) {
  std::int64_t available = 0;
  if (!external_hosts) {
    PODSIM_ASSIGN_OR_RETURN(available, MachineMemoryBytes());
  }
  return AdmitToMachine(job.plan, available, job.spec.host_memory_bytes());
}

}  // namespace

absl::StatusOr<int> RunTraining(const LaunchContext& context,
                                const ParsedFlags& flags, const PlannedJob& job,
                                PendingForecast& forecast, Console& console,
                                const Clock& clock) {
  PODSIM_RETURN_IF_ERROR(CheckMemory(job, flags.elsewhere.external_hosts()));
  const int columns =
      TextWidth(Find(context.variables, "COLUMNS"), console.terminal_width());
  RunContext run = ContextOf("pod_launch", context);
  run.plan_text = FormatPlan(job.plan, job.slice, {.verbose = true});
  run.command_start = context.command_start;
  Reporter reporter(
      {.command_start = context.command_start,
       .context = run,
       .quiet = flags.settings.quiet(),
       .summary = {.columns = columns, .verbose = flags.settings.verbose()},
       .forecast =
           [&forecast](absl::Duration wait) { return forecast.Find(wait); },
       .first_step_wait = flags.settings.quiet() &&
                                  job.spec.metrics_file().empty() &&
                                  TensorBoardDir(job.spec).empty()
                              ? absl::ZeroDuration()
                              : kFirstStepWait,
       .yardsticks = [&forecast]() { return forecast.GetYardsticks(); }},
      console, clock);
  TrainingDisplay display(
      job, forecast, !flags.settings.quiet(),
      {.width = columns, .verbose = flags.settings.verbose()}, reporter,
      BoardOf(context, job, forecast, run.plan_text, clock), console);
  return RunPodJob(context, flags.elsewhere, job, console, clock, display,
                   flags.monitor);
}

}  // namespace podsim
