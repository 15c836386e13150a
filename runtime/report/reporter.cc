// Events to console and metrics file; see reporter.h.
#include "runtime/report/reporter.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/printable.h"
#include "base/units.h"
#include "job/metrics.h"
#include "runtime/job/fault_rules.h"
#include "runtime/report/format.h"

namespace podsim {
namespace {

std::string FormedText(const PodFormed& formed) {
  const PlanBits& bits = formed.plan().bits();
  return absl::StrCat("pod formed: ", FormatCounted(bits.hosts(), "host"),
                      " in ", FormatCounted(formed.processes_size(), "process"),
                      ", isa ", bits.isa(), ", plan hash ",
                      formed.plan().hash());
}

// On another slice than before, another step than the plan's own.
std::int64_t LastStep(const PodFormed& formed) {
  return formed.start().last_step() > 0 ? formed.start().last_step()
                                        : formed.plan().train_steps();
}

// Where it goes on.
std::string StartText(const PodFormed& formed) {
  const StartPoint& start = formed.start();
  const bool evaluates = formed.plan().spec().mode() == words::Mode::eval;
  return absl::StrCat(evaluates              ? "evaluating "
                      : start.weights_only() ? "starting from the weights of "
                                             : "resuming from ",
                      start.checkpoint(), " (step ", FormatCount(start.step()),
                      ", ", FormatCount(start.examples_consumed()),
                      " examples)");
}

std::string RestartText(const JobRestarting& restart) {
  return absl::StrCat("restarting, generation ", restart.generation(), " (",
                      FormatCounted(restart.restarts_left(), "restart"),
                      " left): ", restart.reason());
}

// Of the first of several.
std::string SkippedText(const CheckpointSkipped& skipped) {
  const ProcessInfo& process = skipped.process();
  return PrintableLine(absl::StrCat(
      "no checkpoint of step ", FormatCount(skipped.step()),
      ", and none until the store answers: it is silent, and process ",
      process.process(), " (pid ", process.pid(), " on ", process.hostname(),
      ") still writes an earlier one; training goes on"));
}

std::string StruckText(const FaultStruck& struck) {
  return absl::StrCat("fault ", struck.index(),
                      " injected: ", DescribeFault(struck.fault()));
}

std::string EvalText(const EvalDone& eval) {
  const auto accuracy = AccuracyOf(eval.metrics());
  const std::string others = FormatOtherMetrics(eval.metrics());
  if (!accuracy.has_value())
    return absl::StrFormat("evaluation after step %d: %s (%s examples)%s",
                           eval.step(), FormatEvalLoss(eval.metrics()),
                           FormatCount(eval.examples()), others);
  return absl::StrFormat("evaluation after step %d: accuracy %s (%s of %s)%s",
                         eval.step(), FormatPercent(*accuracy),
                         FormatCount(CorrectExamples(eval.metrics())),
                         FormatCount(eval.examples()), others);
}

// Rates are of when steps were made: whoever reads them may have waited.
absl::Time WhenMade(const JobEvent& event, const Clock& clock) {
  return event.wall_time() > 0
             ? absl::UnixEpoch() + absl::Seconds(event.wall_time())
             : clock.Now();
}

}  // namespace

Reporter::Reporter(ReporterOptions options, Console& console,
                   const Clock& clock)
    : options_(std::move(options)),
      console_(console),
      clock_(clock),
      collector_(options_.command_start),
      awaits_forecast_(options_.forecast != nullptr) {}

void Reporter::OnEvent(const JobEvent& event) {
  collector_.OnEvent(event, clock_.Now());
  switch (event.event_case()) {
    case JobEvent::kFormed:
      OnFormed(event.formed(), event.wall_time());
      break;
    case JobEvent::kStep:
      AskForForecast(event.wall_time());
      ShowStep(event.step(), WhenMade(event, clock_));
      Record(StepLine(event.step(), event.wall_time(), collector_.pod_time()));
      break;
    case JobEvent::kEval:
      if (event.eval().examples() == 0) break;  // there is no eval split
      Tell(EvalText(event.eval()));
      Record(EvalLine(event.eval(), event.wall_time()));
      break;
    case JobEvent::kRestarting:
      Warn(RestartText(event.restarting()));
      Record(RestartLine(event.restarting(), event.wall_time()));
      break;
    case JobEvent::kSaved:
      skipping_ = false;
      Record(SavedLine(event.saved(), event.wall_time()));
      break;
    case JobEvent::kSkipped:
      if (!std::exchange(skipping_, true)) Warn(SkippedText(event.skipped()));
      Record(SkippedLine(event.skipped(), event.wall_time()));
      break;
    case JobEvent::kFault:
      Warn(StruckText(event.fault()));
      Record(FaultLine(event.fault(), event.wall_time()));
      break;
    case JobEvent::kJoined:
      Record(JoinedLine(event.joined(), event.wall_time()));
      break;
    case JobEvent::kLeft:
      Record(LeftLine(event.left(), event.wall_time()));
      break;
    case JobEvent::kRefused:
      Record(RefusedLine(event.refused(), event.wall_time()));
      break;
    case JobEvent::kWaiting:
      Record(WaitingLine(event.waiting(), event.wall_time()));
      break;
    case JobEvent::kStarted:
    case JobEvent::kDone:
    case JobEvent::kFailed:
    case JobEvent::kBench:
    case JobEvent::kDeleted:
    case JobEvent::EVENT_NOT_SET:
      break;
  }
}

void Reporter::OnFormed(const PodFormed& formed, double wall_time) {
  meter_.emplace(LastStep(formed), console_.live() ? options_.live_interval
                                                   : options_.plain_interval);
  Tell(FormedText(formed));
  for (const std::string& note : formed.notes())
    Warn(PrintableLine(absl::StrCat("note: ", note)));
  if (!formed.start().checkpoint().empty()) {
    Tell(StartText(formed));
    Record(ResumeLine(formed.start(), formed.plan(), wall_time));
  }
  Record(PlanLine(formed.plan(), wall_time, options_.context));
}

void Reporter::Tell(const std::string& line) {
  if (!options_.quiet) Warn(line);
}

void Reporter::Warn(const std::string& line) {
  console_.KeepLive();
  console_.Prose(line);
}

void Reporter::AskForForecast(double wall_time) {
  if (!awaits_forecast_) return;
  const absl::StatusOr<JobForecast>* forecast = options_.forecast();
  if (forecast == nullptr) return;
  awaits_forecast_ = false;
  if (!forecast->ok()) return;
  collector_.set_forecast(**forecast);
  Record(ForecastLine(
      **forecast, options_.yardsticks ? options_.yardsticks() : Yardsticks(),
      wall_time));
}

void Reporter::ShowStep(const StepDone& step, absl::Time made) {
  // No plan seen: nothing to count against.
  if (options_.quiet || !meter_.has_value()) return;
  std::optional<ProgressSnapshot> due = meter_->OnStep(step, made);
  if (!due.has_value()) return;
  due->pod = collector_.pod_time();
  due->pod_pending = awaits_forecast_;
  if (console_.live()) {
    console_.Live(FormatLive(*due, console_.live_columns()));
  } else {
    console_.Line(FormatPlain(*due));
  }
}

void Reporter::Finish() {
  console_.KeepLive();
  console_.Prose(FormatSummary(collector_.summary(), options_.summary));
  RecordLast(SummaryLine(collector_.summary()));
}

void Reporter::Fail(const FailureReport& failure) {
  console_.KeepLive();
  console_.Error(FormatFailure(failure));
  if (const auto& faults = collector_.summary().faults; faults.has_value()) {
    console_.Prose(FormatFaultRows(*faults));
  }
  RecordLast(FailureLine(failure));
}

absl::Status Reporter::status() const {
  return metrics_.has_value() && metrics_asked_ ? metrics_->status()
                                                : absl::OkStatus();
}

void Reporter::Record(const std::string& line) {
  if (!metrics_.has_value() || !metrics_->status().ok()) return;
  Complain(metrics_->Write(line));
}

void Reporter::RecordLast(const std::string& line) {
  Record(line);
  if (metrics_.has_value() && metrics_->status().ok())
    Complain(metrics_->Close());
}

void Reporter::Complain(const absl::Status& written) {
  if (written.ok()) return;
  console_.Error(
      metrics_asked_
          ? absl::StrCat("error: ", written.message())
          : absl::StrCat("warning: ", written.message(),
                         "; --metrics_file names another file, or, empty, "
                         "none"));
}

}  // namespace podsim
