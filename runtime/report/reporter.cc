// Events to console and metrics file; see reporter.h.
#include "runtime/report/reporter.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/printable.h"
#include "base/units.h"
#include "runtime/report/format.h"

namespace podsim {
namespace {

std::string FormedText(const PodFormed& formed) {
  const PlanBits& bits = formed.plan().bits();
  return absl::StrFormat(
      "pod formed: %d hosts in %d processes, isa %s, plan hash %s",
      bits.hosts(), formed.processes_size(), bits.isa(), formed.plan().hash());
}

// On another slice than before, another step than the plan's own.
std::int64_t LastStep(const PodFormed& formed) {
  return formed.start().last_step() > 0 ? formed.start().last_step()
                                        : formed.plan().train_steps();
}

// Where it goes on, and what was noticed on the way.
std::vector<std::string> StartTexts(const PodFormed& formed) {
  std::vector<std::string> lines;
  for (const std::string& note : formed.notes())
    lines.push_back(PrintableLine(absl::StrCat("note: ", note)));
  const StartPoint& start = formed.start();
  if (start.checkpoint().empty()) return lines;
  lines.push_back(absl::StrCat(
      formed.plan().mode() == "eval" ? "evaluating " : "resuming from ",
      start.checkpoint(), " (step ", FormatCount(start.step()), ", ",
      FormatCount(start.examples_consumed()), " examples)"));
  return lines;
}

std::string RestartText(const JobRestarting& restart) {
  return absl::StrCat("restarting, generation ", restart.generation(), " (",
                      restart.restarts_left(),
                      " restarts left): ", restart.reason());
}

std::string FaultText(const FaultStruck& struck) {
  const Fault& fault = struck.fault();
  return absl::StrCat("fault ", struck.index(), " injected: ",
                      absl::AsciiStrToLower(Fault::Kind_Name(fault.kind())),
                      ", host ", fault.host(), ", step ", struck.step());
}

std::string EvalText(const EvalDone& eval) {
  return absl::StrFormat("evaluation after step %d: accuracy %s (%s of %s)",
                         eval.step(), FormatPercent(eval.accuracy()),
                         FormatCount(eval.correct()),
                         FormatCount(eval.examples()));
}

}  // namespace

Reporter::Reporter(ReporterOptions options, Console& console,
                   std::optional<MetricsFile> metrics, const Clock& clock)
    : options_(std::move(options)),
      console_(console),
      metrics_(std::move(metrics)),
      clock_(clock),
      collector_(options_.command_start) {}

void Reporter::OnEvent(const JobEvent& event) {
  collector_.OnEvent(event, clock_.Now());
  switch (event.event_case()) {
    case JobEvent::kFormed:
      meter_.emplace(LastStep(event.formed()), console_.live()
                                                   ? options_.live_interval
                                                   : options_.plain_interval);
      console_.Line(FormedText(event.formed()));
      for (const std::string& line : StartTexts(event.formed()))
        console_.Line(line);
      if (!event.formed().start().checkpoint().empty())
        Record(ResumeLine(event.formed().start(), event.formed().plan(),
                          event.wall_time()));
      Record(
          PlanLine(event.formed().plan(), event.wall_time(), options_.context));
      break;
    case JobEvent::kStep:
      ShowStep(event.step());
      Record(StepLine(event.step(), event.wall_time()));
      break;
    case JobEvent::kEval:
      console_.KeepLive();
      console_.Line(EvalText(event.eval()));
      Record(EvalLine(event.eval(), event.wall_time()));
      break;
    case JobEvent::kRestarting:
      console_.KeepLive();
      console_.Line(RestartText(event.restarting()));
      Record(RestartLine(event.restarting(), event.wall_time()));
      break;
    case JobEvent::kSaved:
      Record(SavedLine(event.saved(), event.wall_time()));
      break;
    case JobEvent::kFault:
      console_.KeepLive();
      console_.Line(FaultText(event.fault()));
      Record(FaultLine(event.fault(), event.wall_time()));
      break;
    case JobEvent::kStarted:
    case JobEvent::kDone:
    case JobEvent::kFailed:
    case JobEvent::kBench:
    case JobEvent::EVENT_NOT_SET:
      break;
  }
}

void Reporter::ShowStep(const StepDone& step) {
  if (!meter_.has_value()) return;  // no plan seen: nothing to count against
  const std::optional<ProgressSnapshot> due =
      meter_->OnStep(step, clock_.Now());
  if (!due.has_value()) return;
  if (console_.live()) {
    console_.Live(FormatLive(*due));
  } else {
    console_.Line(FormatPlain(*due));
  }
}

void Reporter::Finish() {
  console_.KeepLive();
  console_.Line(FormatSummary(collector_.summary()));
  Record(SummaryLine(collector_.summary()));
}

void Reporter::Fail(const FailureReport& failure) {
  console_.KeepLive();
  console_.Error(FormatFailure(failure));
  if (const auto& faults = collector_.summary().faults; faults.has_value()) {
    console_.Line(FormatFaultRows(*faults));
  }
  Record(FailureLine(failure));
}

absl::Status Reporter::status() const {
  return metrics_.has_value() ? metrics_->status() : absl::OkStatus();
}

void Reporter::Record(const std::string& line) {
  if (!metrics_.has_value() || !metrics_->status().ok()) return;
  const absl::Status written = metrics_->Write(line);
  if (!written.ok()) {
    console_.Error("error: " + std::string(written.message()));
  }
}

}  // namespace podsim
