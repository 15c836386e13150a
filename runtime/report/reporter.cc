// Events to console and metrics file; see reporter.h.
#include "runtime/report/reporter.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "runtime/report/event_line.h"
#include "runtime/report/event_texts.h"

namespace podsim {
namespace {

// On another slice than before, another step than the plan's own.
std::int64_t LastStep(const PodFormed& formed) {
  return formed.start().last_step() > 0 ? formed.start().last_step()
                                        : formed.plan().train_steps();
}

// Rates are of when steps were made: whoever reads them may have waited.
absl::Time WhenMade(const JobEvent& event, absl::Time arrived) {
  return event.wall_time() > 0
             ? absl::UnixEpoch() + absl::Seconds(event.wall_time())
             : arrived;
}

}  // namespace

Reporter::Reporter(ReporterOptions options, Console& console,
                   const Clock& clock)
    : options_(std::move(options)),
      console_(console),
      clock_(clock),
      collector_(options_.command_start),
      held_(options_.most_held_bytes),
      awaits_forecast_(options_.forecast != nullptr) {}

Reporter::~Reporter() { EndHolding(); }

void Reporter::OnEvent(const JobEvent& event) {
  wall_time_ = event.wall_time();
  collector_.OnEvent(event, clock_.Now());
  if (event.has_step() || !held_.empty())
    AskForForecast(std::exchange(asked_, true) ? absl::ZeroDuration()
                                               : options_.first_step_wait);
  WarnOf(event);
  if (Holds(event)) return Hold(event);
  Report(event, clock_.Now());
}

// What does not go as planned is not held back.
void Reporter::WarnOf(const JobEvent& event) {
  if (event.has_restarting()) Warn(RestartText(event.restarting()));
  if (event.has_fault()) Warn(StruckText(event.fault()));
  if (event.has_saved()) skipping_ = false;
  if (event.has_skipped() && !std::exchange(skipping_, true))
    Warn(SkippedText(event.skipped()));
}

// From the first step on, so that all stays in order.
bool Reporter::Holds(const JobEvent& event) const {
  const bool writes = !options_.quiet || metrics_.has_value();
  return writes && awaits_forecast_ && (event.has_step() || !held_.empty());
}

void Reporter::Hold(const JobEvent& event) {
  if (held_.empty() && !options_.quiet) {
    const char text[] = "training; steps are shown once they are forecast";
    if (console_.live())
      console_.Live(text);
    else
      console_.Prose(text);
  }
  held_.Add(event, clock_.Now());
  while (const std::optional<HeldEvent> oldest = held_.TakeExcess())
    Report(oldest->event, oldest->arrived);
}

void Reporter::ReportHeld() {
  while (const std::optional<HeldEvent> oldest = held_.Take())
    Report(oldest->event, oldest->arrived);
}

void Reporter::EndHolding() {
  if (held_.empty()) return;
  AskForForecast(options_.end_wait);
  ReportHeld();  // without the simulated clock, if it is still not there
}

void Reporter::Report(const JobEvent& event, absl::Time arrived) {
  pod_clock_.OnEvent(event);
  if (event.has_formed()) OnFormed(event.formed(), event.wall_time());
  if (event.has_step()) ShowStep(event.step(), WhenMade(event, arrived));
  if (event.has_eval() && event.eval().examples() > 0)
    Tell(EvalText(event.eval()));
  if (metrics_.has_value())
    Record(EventLine(event, options_.context, pod_clock_.time()));
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
}

void Reporter::Tell(const std::string& line) {
  if (!options_.quiet) Warn(line);
}

void Reporter::Warn(const std::string& line) {
  console_.KeepLive();
  console_.Prose(line);
}

void Reporter::AskForForecast(absl::Duration wait) {
  if (!awaits_forecast_) return;
  const absl::StatusOr<JobForecast>* forecast = options_.forecast(wait);
  if (forecast == nullptr) return;
  awaits_forecast_ = false;
  if (forecast->ok()) {
    collector_.set_forecast(**forecast);
    pod_clock_.SetStep((*forecast)->step);
    Record(ForecastLine(
        **forecast, options_.yardsticks ? options_.yardsticks() : Yardsticks(),
        wall_time_));
  }
  ReportHeld();
}

void Reporter::ShowStep(const StepDone& step, absl::Time made) {
  // No plan seen: nothing to count against.
  if (options_.quiet || !meter_.has_value()) return;
  std::optional<ProgressSnapshot> due = meter_->OnStep(step, made);
  if (!due.has_value()) return;
  due->pod = pod_clock_.time();
  if (console_.live()) {
    console_.Live(FormatLive(*due, console_.live_columns()));
  } else {
    console_.Line(FormatPlain(*due));
  }
}

void Reporter::OnTrace(const TraceRecord& trace) {
  for (const TracePart& part : trace.parts)
    for (const std::string& line : TracePartLines(part)) Record(line);
  if (trace.sim) OnSimStep(*trace.sim);
  Record(TraceLine(trace));
}

void Reporter::OnSimStep(const SimStepPart& sim) {
  for (const std::string& line : TraceSimLines(sim)) Record(line);
}

void Reporter::Finish() {
  EndHolding();
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
  EndHolding();
  console_.KeepLive();
  RecordLast(FailureLine(failure));
}

absl::Status Reporter::status() const {
  return metrics_.has_value() && metrics_asked_ ? metrics_->status()
                                                : absl::OkStatus();
}

void Reporter::Record(const std::string& line) {
  if (line.empty() || !metrics_.has_value() || !metrics_->status().ok()) return;
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
