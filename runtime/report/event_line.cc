#include "runtime/report/event_line.h"

#include <google/protobuf/util/json_util.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "job/phases.h"

namespace podsim {
namespace {

// Those of `phases` that the line has no key of, or not at this place: all but
// the known ones at the begin, in their order.
void KeepUnsaid(const Phases& phases, std::span<const KnownPhase> known,
                Phases& unsaid) {
  std::size_t next = 0;
  for (const Phase& phase : phases) {
    std::size_t at = next;
    while (at < known.size() && phase.name() != known[at].name) ++at;
    if (unsaid.empty() && at < known.size() && std::isfinite(phase.seconds()))
      next = at + 1;
    else
      *unsaid.Add() = phase;
  }
}

// Likewise of those by process, of which two have keys.
void KeepUnsaid(const StepDone& step, StepDone& unsaid) {
  int next = 0;
  for (const ProcessPhase& phase : step.process_phases()) {
    const int at = phase.name() == kInputPhase.name     ? 0
                   : phase.name() == kComputePhase.name ? 1
                                                        : -1;
    if (unsaid.process_phases().empty() && at >= next)
      next = at + 1;
    else
      *unsaid.add_process_phases() = phase;
  }
}

// What the keys of a step's line do not say: the sums behind its metrics,
// phases of other builds, numbers that JSON has not.
StepDone UnsaidOf(const StepDone& step) {
  StepDone unsaid;
  *unsaid.mutable_metrics() = step.metrics();
  KeepUnsaid(step.phases(), kPhaseNames, *unsaid.mutable_phases());
  KeepUnsaid(step.work(), kWorkNames, *unsaid.mutable_work());
  KeepUnsaid(step, unsaid);
  KeepUnsaid(step.input(), kInputNames, *unsaid.mutable_input());
  for (const auto& [value, set] :
       {std::pair(step.learning_rate(), &StepDone::set_learning_rate),
        std::pair(step.examples_per_second(),
                  &StepDone::set_examples_per_second),
        std::pair(step.seconds(), &StepDone::set_seconds)})
    if (!std::isfinite(value)) (unsaid.*set)(value);
  return unsaid;
}

// The line's time is the event's.
JobEvent BehindLine(const JobEvent& event) {
  JobEvent behind;
  if (event.has_step()) {
    *behind.mutable_step() = UnsaidOf(event.step());
  } else {
    behind = event;
    behind.clear_wall_time();
    if (event.has_joined()) behind.mutable_joined()->clear_missing();
    if (event.has_left()) behind.mutable_left()->clear_missing();
  }
  return behind;
}

std::string ReadLine(const JobEvent& event, const RunContext& context,
                     const std::optional<PodTime>& pod) {
  const double at = event.wall_time();
  switch (event.event_case()) {
    case JobEvent::kFormed:
      return PlanLine(event.formed().plan(), at, context);
    case JobEvent::kStarted:
      return StartedLine(at);
    case JobEvent::kStep:
      return StepLine(event.step(), at, pod);
    case JobEvent::kEval:
      return event.eval().examples() == 0 ? NoEvalLine(event.eval(), at)
                                          : EvalLine(event.eval(), at);
    case JobEvent::kDone:
      return DoneLine(event.done(), at);
    case JobEvent::kFailed:
      return FailedLine(event.failed(), at);
    case JobEvent::kSaved:
      return SavedLine(event.saved(), at);
    case JobEvent::kRestarting:
      return RestartLine(event.restarting(), at);
    case JobEvent::kFault:
      return FaultLine(event.fault(), at);
    case JobEvent::kJoined:
      return JoinedLine(event.joined(), at);
    case JobEvent::kRefused:
      return RefusedLine(event.refused(), at);
    case JobEvent::kWaiting:
      return WaitingLine(event.waiting(), at);
    case JobEvent::kLeft:
      return LeftLine(event.left(), at);
    case JobEvent::kDeleted:
      return DeletedLine(event.deleted(), at);
    case JobEvent::kSkipped:
      return SkippedLine(event.skipped(), at);
    case JobEvent::kBench:
    case JobEvent::EVENT_NOT_SET:
      return "";
  }
  return "";
}

}  // namespace

std::string EventLine(const JobEvent& event, const RunContext& context,
                      const std::optional<PodTime>& pod) {
  std::string line = ReadLine(event, context, pod);
  if (line.empty()) return line;
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string behind;
  // Refused: text that is no UTF-8. Then people have the line, and no more.
  if (!google::protobuf::util::MessageToJsonString(BehindLine(event), &behind,
                                                   options)
           .ok())
    return line;
  line.pop_back();
  absl::StrAppend(&line, ",\"proto\":", behind, "}");
  return line;
}

}  // namespace podsim
