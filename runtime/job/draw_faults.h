// What is to go wrong in a job, on purpose: what a FaultPlan may hold, and the
// faults that its random part draws. Pure.
//
//   PODSIM_ASSIGN_OR_RETURN(
//       std::vector<Fault> faults,
//       DrawFaults(spec.faults(), {.hosts = 4, .steps = 100}));
#ifndef PODSIM_RUNTIME_JOB_DRAW_FAULTS_H_
#define PODSIM_RUNTIME_JOB_DRAW_FAULTS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/faults.pb.h"

namespace podsim {

// What of a job bounds its faults.
struct FaultScope {
  int hosts = 1;
  // Of each process, as in JobPlan; empty: each host is a process. Only between
  // processes is there a line that can go wrong.
  std::vector<int> first_host;
  std::int64_t steps = 0;      // of the whole job
  std::string steps_are = {};  // why so many; empty: they are the job's own
  // What gives more of them.
  std::string more_steps = "--train_steps";
  bool checkpoints = false;  // it has a model_dir to write to
  // Which host sends frames to which; nullopt: each to each. A fault of
  // another line would never be seen.
  std::optional<std::set<std::pair<int, int>>> lines = std::nullopt;
};

// The hosts [first, end) of the process that plays `host`.
struct FaultyProcess {
  int first = 0;
  int end = 0;
};
FaultyProcess ProcessOfHost(const FaultScope& scope, int host);
// The hosts of other processes that `host` sends frames to, ascending.
std::vector<int> PeersOf(const FaultScope& scope, int host);
// The hosts that have such peers, ascending.
std::vector<int> SendersOf(const FaultScope& scope);

// Errors: INVALID_ARGUMENT, one line: which fault, counted from 1, what it
//   says, what is allowed: "fault 2 (KILL): step is 0; ...". FaultOf knows
//   which it is.
absl::Status CheckFaults(const FaultPlan& asked, const FaultScope& scope);

// The fault of the plan, counted from 0, that is refused; nullopt: it is none
// of those listed.
std::optional<int> FaultOf(const absl::Status& refused);

// The faults asked for, those drawn among them, by step; of one step, as
// listed, drawn ones last. Whether a step is struck, and by what, depends on
// seed, step and the rest of the random part alone, so a longer job has the
// faults of a shorter one and more.
// Errors: those of CheckFaults; INVALID_ARGUMENT (more of them than
//   kMostFaults).
absl::StatusOr<std::vector<Fault>> DrawFaults(const FaultPlan& asked,
                                              const FaultScope& scope);

inline constexpr int kMostFaults = 10'000;

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_DRAW_FAULTS_H_
