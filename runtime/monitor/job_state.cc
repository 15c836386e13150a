// One case for each kind of event; see job_state.h.
#include "runtime/monitor/job_state.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "job/phases.h"

namespace podsim {
namespace {

// A file may say anything.
constexpr std::size_t kMostProcesses = 1 << 16;

void TakeProcess(const ProcessInfo& process, JobState& state) {
  const auto index = static_cast<std::size_t>(std::max(0, process.process()));
  if (index >= kMostProcesses) return;
  if (state.processes.size() <= index) state.processes.resize(index + 1);
  state.processes[index] = process;
}

std::string WaitText(const PodWaiting& waiting) {
  if (!waiting.looking().empty()) return waiting.looking();
  if (!waiting.missing().empty())
    return absl::StrCat("processes ", absl::StrJoin(waiting.missing(), ", "),
                        ", which have not joined");
  if (!waiting.unready().empty())
    return absl::StrCat("processes ", absl::StrJoin(waiting.unready(), ", "),
                        ", which are not ready");
  if (!waiting.tracing().empty())
    return absl::StrCat("processes ", absl::StrJoin(waiting.tracing(), ", "),
                        ", which write their parts of the trace");
  if (waiting.uncommitted() > 0)
    return absl::StrCat(waiting.uncommitted(),
                        " checkpoints that are not committed yet");
  return "";
}

void TakeFormed(const PodFormed& formed, JobState& state) {
  state.plan = formed.plan();
  state.plan->clear_program();
  for (const ProcessInfo& process : formed.processes())
    TakeProcess(process, state);
  state.phase = JobPhase::kStarting;
  state.waits_for.clear();
}

void TakeStep(const StepDone& step, JobState& state) {
  state.steps.push_back(step);
  if (state.steps.size() > kShownSteps) state.steps.pop_front();
  state.phase = JobPhase::kTraining;
}

double ItemOf(const google::protobuf::RepeatedField<float>& values, int index) {
  return index < values.size() ? values.Get(index) : 0;
}

}  // namespace

const char* PhaseName(JobPhase phase) {
  switch (phase) {
    case JobPhase::kForming:
      return "forming";
    case JobPhase::kStarting:
      return "starting";
    case JobPhase::kTraining:
      return "training";
    case JobPhase::kDone:
      return "done";
    case JobPhase::kFailed:
      return "failed";
  }
  return "";
}

void Fold(const WatchedEvent& watched, JobState& state) {
  if (watched.generation() != state.generation) state = JobState();
  state.generation = watched.generation();
  const JobEvent& event = watched.event();
  state.wall_time = event.wall_time();
  switch (event.event_case()) {
    case JobEvent::kJoined:
      TakeProcess(event.joined().process(), state);
      break;
    case JobEvent::kWaiting:
      state.waits_for = WaitText(event.waiting());
      break;
    case JobEvent::kFormed:
      TakeFormed(event.formed(), state);
      break;
    case JobEvent::kStarted:
      state.phase = JobPhase::kTraining;
      break;
    case JobEvent::kStep:
      TakeStep(event.step(), state);
      break;
    case JobEvent::kEval:
      state.eval = event.eval();
      break;
    case JobEvent::kSaved:
      state.saved = event.saved();
      ++state.checkpoints;
      break;
    case JobEvent::kFault:
      ++state.faults;
      break;
    case JobEvent::kDone:
      state.phase = JobPhase::kDone;
      break;
    case JobEvent::kFailed:
      state.phase = JobPhase::kFailed;
      state.failure = event.failed().message();
      break;
    default:  // says nothing of how the job stands
      break;
  }
}

std::vector<ProcessShares> SharesOf(const JobState& state) {
  int processes = 0;
  double seconds = 0;
  for (const StepDone& step : state.steps) {
    processes = std::max(processes, ByProcess(step, kComputePhase).size());
    seconds += step.seconds();
  }
  std::vector<ProcessShares> shares(static_cast<std::size_t>(processes));
  if (seconds <= 0) return shares;
  for (const StepDone& step : state.steps) {
    for (int p = 0; p < processes; ++p) {
      ProcessShares& of = shares[static_cast<std::size_t>(p)];
      // All update the same weights: what it took is known of one of them.
      of.busy +=
          std::min(step.seconds(), ItemOf(ByProcess(step, kComputePhase), p) +
                                       SecondsIn(step.phases(), kUpdatePhase));
      of.input += ItemOf(ByProcess(step, kInputPhase), p);
      of.waited += ItemOf(step.process_seconds_waited(), p);
    }
  }
  for (ProcessShares& of : shares)
    for (double* part : {&of.busy, &of.input, &of.waited}) *part /= seconds;
  return shares;
}

double MeanStepSeconds(const JobState& state) {
  if (state.steps.empty()) return 0;
  double seconds = 0;
  for (const StepDone& step : state.steps) seconds += step.seconds();
  return seconds / static_cast<double>(state.steps.size());
}

double MeanExamplesPerSecond(const JobState& state) {
  const double seconds = MeanStepSeconds(state);
  if (seconds <= 0 || !state.plan) return 0;
  return static_cast<double>(state.plan->global_batch()) / seconds;
}

int ProcessOfHost(const JobState& state, int host) {
  if (!state.plan) return 0;
  const auto& first = state.plan->first_host();
  const auto after = std::upper_bound(first.begin(), first.end(), host);
  return std::max(0, static_cast<int>(after - first.begin()) - 1);
}

}  // namespace podsim
