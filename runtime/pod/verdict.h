// Who failed first: from what the launcher saw (processes that ended) and what
// the coordinator said (JobFailed) to one report. Pure.
//
// When a process dies, others fail of it within milliseconds, and the news may
// reach the launcher in any order. So a process killed by a signal that we did
// not send is believed before anything that others say, then the process that
// the coordinator blames, then whichever process ended first.
#ifndef PODSIM_RUNTIME_POD_VERDICT_H_
#define PODSIM_RUNTIME_POD_VERDICT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "proto/event.pb.h"
#include "runtime/pod/process.h"
#include "runtime/report/failure.h"

namespace podsim {

// The coordinator's place in Evidence::processes.
inline constexpr int kCoordinator = 0;

// One of the launcher's processes, as it was before the launcher sent signals.
struct ProcessEvidence {
  std::string name;
  std::int64_t pid = 0;
  std::optional<ProcessEnd> end;
  absl::Time ended_at;
  bool overdue = false;  // should have done its part by `ended_at`, and did not
  bool stopped = false;  // held by SIGSTOP or a debugger
  std::vector<std::string> last_lines;
};

struct Evidence {
  // The coordinator, then host process 0, 1, ... (none with external hosts).
  std::vector<ProcessEvidence> processes;
  std::optional<JobFailed> failed;
  absl::Time failed_at;
  bool job_done = false;
  std::int64_t last_step = 0;
};

// Whether something went wrong: a process ended badly, or too early, or the
// coordinator gave up.
bool ShowsFailure(const Evidence& evidence);

// Whether waiting longer can tell no more: the coordinator has spoken, and the
// end of the process that it blames is known (or will not come by itself), or
// it has ended without a word.
bool IsComplete(const Evidence& evidence);

// REQUIRES: ShowsFailure(evidence).
FailureReport Judge(const Evidence& evidence);

// Whether starting the pod again can help: a process was lost, frozen or cut
// off, rather than given something that it must refuse once more. `restores`:
// also where hashes differed (--on_corruption=restore).
// REQUIRES: ShowsFailure(evidence).
bool IsRecoverable(const Evidence& evidence, bool restores);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_VERDICT_H_
