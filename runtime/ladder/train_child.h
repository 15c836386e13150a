// pod_launch as a child process, from its start to its end.
#ifndef PODSIM_RUNTIME_LADDER_TRAIN_CHILD_H_
#define PODSIM_RUNTIME_LADDER_TRAIN_CHILD_H_

#include <deque>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "runtime/pod/process.h"
#include "runtime/pod/stop_signals.h"
#include "runtime/report/console.h"

namespace podsim {

// Between a signal to stop and SIGKILL: pod_launch finishes its step, ends its
// own processes, and kills those that do not.
inline constexpr absl::Duration kStopWait = absl::Seconds(30);

struct ChildEnd {
  ProcessEnd end;
  int stop_signal = 0;  // that this process got meanwhile, and passed on
  std::deque<std::string> last_lines;  // of its output, the newest last
};

// `pod_launch --quiet --job=FILE` of `program_dir`. The job file says all: of
// the environment it sees no setting, nor the slice of this machine.
ProcessSpec LaunchCommand(const std::string& program_dir,
                          const std::string& job_file);

// That the programs of a job are there. Errors: as of access(2), naming it.
absl::Status CheckPrograms(const std::string& program_dir);

// Starts it and waits for its end. A signal to stop is passed on, each time;
// kStopWait after the first the child is killed. Nothing of its output is
// shown. REQUIRES: this process has one thread. Errors: those of Child::Start
// and poll.
absl::StatusOr<ChildEnd> RunToItsEnd(const ProcessSpec& spec,
                                     const StopSignals& signals,
                                     Console& console, const Clock& clock);

// What the child said of its failure: the text of its last "error: " line, else
// its last line, else how it ended. Pure.
std::string FailureOf(const ChildEnd& ended);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LADDER_TRAIN_CHILD_H_
