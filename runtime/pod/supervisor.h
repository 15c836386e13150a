// Watches the processes of a job: shows what they say, notices the first that
// fails, and ends them all. One thread, one poll loop, every wait bounded.
//
//   running -> judging (something failed: collect evidence, at most 1.5 s)
//           -> ending (SIGINT) -> killing (SIGKILL) -> over
//   running -> finishing (the job is done: processes end by themselves) -> over
//
// However it is left, no child stays behind.
#ifndef PODSIM_RUNTIME_POD_SUPERVISOR_H_
#define PODSIM_RUNTIME_POD_SUPERVISOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/unique_fd.h"
#include "proto/event.pb.h"
#include "runtime/pod/child.h"
#include "runtime/pod/line_splitter.h"
#include "runtime/pod/process.h"
#include "runtime/pod/stop_signals.h"
#include "runtime/pod/verdict.h"
#include "runtime/report/console.h"
#include "runtime/report/failure.h"

namespace podsim {

// EX_TEMPFAIL of sysexits.h: the same command again goes on.
inline constexpr int kDrainedExitCode = 75;

struct SupervisorOptions {
  std::string log_dir;  // existing directory for <name>.log files, or empty
  bool append_logs = false;  // to those of the generation before
  // For the coordinator to say where it listens, if it is asked to.
  absl::Duration ready_wait = absl::Seconds(10);
  // After the first failure, for the rest of the evidence; the coordinator
  // takes up to a second to be sure.
  absl::Duration cause_wait = absl::Milliseconds(1500);
  // Between SIGINT and SIGKILL.
  absl::Duration term_wait = absl::Seconds(2);
  // After the job is done, for processes to end by themselves, from the last
  // that the coordinator told.
  absl::Duration shutdown_wait = absl::Seconds(5);
  // The job makes steps: once the pod has formed, the first SIGTERM or SIGINT
  // is passed to the coordinator, which has it finish its step.
  bool drains = false;
  bool saves = false;     // checkpoints, the last one after that step
  bool restores = false;  // verdict.h
};

// How a job came out: well (exit_code 0), failed, or stopped by a signal.
struct Outcome {
  int exit_code = 0;
  int stop_signal = 0;
  bool drained = false;  // ended early, after a step, as a signal asked
  std::optional<FailureReport> failure;
  bool recoverable = false;  // the failure is of a kind that a restart may mend
  std::string kept_work;     // what becomes of it, for people; may be empty
  // Where host processes of all generations wrote their parts of the trace, if
  // they got so far; there until the job's display has closed.
  std::vector<std::string> trace_parts = {};
};

class Supervisor {
 public:
  using EventHandler = std::function<void(const JobEvent&)>;
  using ReadyHandler =
      std::function<std::vector<ProcessSpec>(const std::string& address)>;

  // `signals`, `console` and `clock` outlive the supervisor.
  Supervisor(SupervisorOptions options, const StopSignals& signals,
             Console& console, const Clock& clock, EventHandler on_event);
  // Kills and collects what is left.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // `events`: where the coordinator's JobEvents come from, one JSON object a
  // line. Call first and once.
  absl::Status StartCoordinator(const ProcessSpec& spec, UniqueFd events);
  // Host processes in order of their index.
  absl::Status StartHost(const ProcessSpec& spec);
  // Starts the host processes once the coordinator has written its address to
  // `ready`, as a line.
  void StartHostsWhenReady(UniqueFd ready, ReadyHandler handler);

  // Returns when every process has ended.
  Outcome Run();

 private:
  enum class Phase : std::uint8_t {
    kRunning,
    kJudging,
    kFinishing,
    kEnding,
    kKilling,
    kOver,
  };
  absl::Status StartChild(const ProcessSpec& spec);
  void Wait();
  void Collect();
  void TakeSignals();
  void ReapChildren();
  void ReadEvents();
  void ReadReady();
  void HandleEvent(const std::string& line);

  void BeginDrain(int signal);
  void Advance();
  void AdvanceRunning();
  void AdvanceJudging();
  void AdvanceFinishing();
  int ExitCodeOfDrain() const;
  void AdvanceEnding();
  void Enter(Phase phase, absl::Duration wait);
  void BeginEnding();
  void BeginKilling();
  void MarkOverdue(std::size_t index);
  bool AllEnded() const;
  bool DeadlinePassed() const { return clock_.Now() >= deadline_; }

  const SupervisorOptions options_;
  const StopSignals& signals_;
  Console& console_;
  const Clock& clock_;
  const EventHandler on_event_;

  std::vector<Child> children_;  // [kCoordinator], then the host processes
  UniqueFd events_;
  LineSplitter event_splitter_;
  UniqueFd ready_;
  LineSplitter ready_splitter_;
  ReadyHandler on_ready_;

  Phase phase_ = Phase::kRunning;
  absl::Time deadline_ = absl::InfiniteFuture();
  bool formed_ = false;     // the pod has, and knows its plan
  bool signalled_ = false;  // while it waited last
  int drain_signal_ = 0;    // that was passed on
  bool late_stop_ = false;  // a signal came when the job was done
  int stops_ = 0;           // signals to stop; the second one means at once
  Evidence evidence_;       // parallel to children_
  Outcome outcome_;
  absl::Status start_status_;  // of hosts started later
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_SUPERVISOR_H_
