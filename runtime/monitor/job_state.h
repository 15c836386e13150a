// How a job stands, as whoever watches it sees it: a fold over its events.
// Pure; one thread at a time.
//
//   JobState state;
//   for (const WatchedEvent& watched : stream) Fold(watched, state);
//   for (const ProcessShares& shares : SharesOf(state)) ...
#ifndef PODSIM_RUNTIME_MONITOR_JOB_STATE_H_
#define PODSIM_RUNTIME_MONITOR_JOB_STATE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "proto/event.pb.h"
#include "proto/job.pb.h"
#include "proto/watch.pb.h"

namespace podsim {

enum class JobPhase : std::uint8_t {
  kForming,
  kStarting,  // the pod has formed, hosts prepare
  kTraining,
  kDone,
  kFailed,
};

// "forming", "starting", "training", "done", "failed".
const char* PhaseName(JobPhase phase);

// Means are over so many of the last steps.
inline constexpr std::size_t kShownSteps = 10;

struct JobState {
  JobPhase phase = JobPhase::kForming;
  std::uint32_t generation = 0;        // 0: nothing has happened yet
  double wall_time = 0;                // of the last event, seconds since 1970
  std::optional<JobPlan> plan;         // of the pod that has formed last
  std::vector<ProcessInfo> processes;  // by index, as far as they are known
  std::deque<StepDone> steps;          // the last kShownSteps, the newest last
  std::optional<EvalDone> eval;
  std::optional<CheckpointSaved> saved;
  std::int64_t checkpoints = 0;  // in this generation
  std::int64_t faults = 0;       // injected ones that have struck, likewise
  std::string waits_for;         // while the pod forms
  std::string failure;
};

// Takes what has happened next. Another generation begins anew.
void Fold(const WatchedEvent& watched, JobState& state);

// Where a host process's steps went: parts of their wall time, over the last
// kShownSteps of them.
struct ProcessShares {
  double busy = 0;    // computing and updating: the duty cycle of its cores
  double input = 0;   // until the batch was there
  double waited = 0;  // for the process that came last to the all-reduce
};

// By process; empty before the first step.
std::vector<ProcessShares> SharesOf(const JobState& state);

// Wall seconds, and examples per second, of a step of the last kShownSteps; 0
// before the first.
double MeanStepSeconds(const JobState& state);
double MeanExamplesPerSecond(const JobState& state);

// The process that plays `host`; 0 where no plan is known.
int ProcessOfHost(const JobState& state, int host);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_MONITOR_JOB_STATE_H_
