// Who is in the pod and how the job stands: the coordinator's whole logic as a
// state machine without threads, clocks or network.
//
//        start known, all joined,              all Done,
//        plan made, all Ready                  equal hashes
//   FORMING ----------------------> RUNNING ----------------> DONE
//      |                               |
//      | lost, failed,                 | lost, silent, frozen, failed,
//      | too late, stopped             | hashes differ, stopped
//      +--------------> FAILED <-------+
//
// Who is lost before the plan is handed out only leaves its place to another.
//
// One generation of the pod: to recover, whoever started the processes starts
// them again, with the next generation's number (runtime/launch).
//
// A step for all. To save by the clock, or to end early (drain), the machine
// sends Hold, gathers the last step that each process has begun, and sends Go
// with the greatest (host/train/step_gate.h).
//
// Inputs come with the time at which they happened; each may leave actions,
// which the owner takes and carries out in order. One thread at a time.
//
//   Membership membership(options);
//   membership.OnLooked(now, start);
//   PODSIM_RETURN_IF_ERROR(membership.OnJoin(now, join));
//   membership.OnMessage(now, process, message);
//   for (const Action& action : membership.TakeActions()) ...
//
// Root cause. The first failure is it, with one exception: a process that
// fails for want of a peer is a consequence, so the verdict then waits up to
// half a second for a stronger cause (a stream that breaks, a failure of
// another process's own). If none comes, the host that most of them name is
// it: both ends of a cut line accuse each other, but the one that is cut off is
// accused by all. To be hung up on is weaker evidence than not to be answered,
// and waits for up to three seconds for what whoever hung up has to say.
#ifndef PODSIM_RUNTIME_COORDINATOR_MEMBERSHIP_H_
#define PODSIM_RUNTIME_COORDINATOR_MEMBERSHIP_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "job/placement.h"
#include "proto/checkpoint.pb.h"
#include "proto/coordinator.pb.h"
#include "proto/event.pb.h"
#include "proto/job.pb.h"
#include "runtime/coordinator/job_reports.h"
#include "runtime/coordinator/lease.h"

namespace podsim {

enum class PodState : std::uint8_t { kForming, kRunning, kDone, kFailed };

struct SendAction {
  int process = 0;
  CoordinatorMessage message;
};
// All parts of a checkpoint lie on the store: make it one.
struct CommitAction {
  CheckpointManifest manifest;  // without `tensors`
};
// A line for the coordinator's own log: of a process's life, or where the job
// is.
struct LogAction {
  std::string line;
};
using Action = std::variant<SendAction, JobEvent, CommitAction, LogAction>;

// Where the pod begins.
struct PodStart {
  StartPoint point;
  google::protobuf::RepeatedPtrField<Stint> history;  // before it
  std::vector<std::string> notes;                     // for people
  std::int64_t stamp = 0;  // of unfinished checkpoints
  // What the final plan has not in common with it: notes for people, or an
  // error if the pod may not begin there with that plan.
  std::function<absl::StatusOr<std::vector<std::string>>(const JobPlan&)>
      compare;
};

class Membership {
 public:
  struct Options {
    int protocol_version = 0;  // every process must have this one
    std::string build_id;      // and this one
    std::uint32_t generation = 1;
    // The plan as far as it is known before anyone has joined: says how many
    // processes there are, who plays which hosts, and the time limits.
    JobPlan draft;
    // The final plan for the pod's common ISA level; the same placement.
    std::function<absl::StatusOr<JobPlan>(const std::string& isa)> make_plan;
    // What the work's reports are merged by.
    MakeReports make_reports;
    absl::Time now;            // forming begins
    bool keeps_trace = false;  // as hosts are told (Assignment)
    // What is looked for to know where the pod begins: "checkpoints in a".
    std::string looking;
  };

  // REQUIRES: CheckPlacement(options.draft) is OK.
  explicit Membership(Options options);
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  // Where the pod begins, or why it cannot: hosts may join before, and wait.
  // Once, unless the job has ended meanwhile.
  void OnLooked(absl::Time now, absl::StatusOr<PodStart> start);
  // What is looked at answers: the time to form begins anew.
  void OnSignOfLife(absl::Time now);

  // A process's first message. When refused, its stream is no part of the pod.
  // Errors: INVALID_ARGUMENT (index, another slice's machine, ISA level),
  //   ALREADY_EXISTS (index taken, says by whom), FAILED_PRECONDITION (other
  //   protocol version or build, both values), UNAVAILABLE (the job has ended).
  absl::Status OnJoin(absl::Time now, const Join& join);
  // So many were turned away before they could join, the last for this reason.
  void OnRefused(absl::Time now, std::int64_t count, const std::string& why);

  // Of the following three, REQUIRES: `process` has joined.
  void OnMessage(absl::Time now, int process, const HostMessage& message);
  // The process's stream broke or was closed by it. Before the pod has formed
  // its place is free again.
  void OnClosed(absl::Time now, int process);

  // Someone wants the job to end: it fails with CANCELLED: `reason`.
  void OnStop(absl::Time now, const std::string& reason);

  // The job should finish its step, save if it does so at all, and end: after
  // the first one at the earliest. As OnStop where no steps are made, and
  // before all have joined.
  void OnDrain(absl::Time now, const std::string& reason);

  // What a CommitAction came to: `bytes` of files at `path`.
  void OnCommitted(absl::Time now, std::int64_t step,
                   const absl::Status& status, const std::string& path,
                   std::int64_t bytes);

  // Judges all that depends on time. Call every 100 ms or so.
  void OnTick(absl::Time now);

  // What to do since the last call, in order.
  std::vector<Action> TakeActions() { return std::exchange(actions_, {}); }

  PodState state() const { return state_; }
  // DONE or FAILED, the last event is out, and every stream (but the culprit's)
  // has closed or shutdown_timeout has passed.
  bool ended() const { return ended_; }
  // Why the pod failed; OK otherwise.
  const absl::Status& failure() const { return root_.status; }

 private:
  // A look that takes no longer is none to speak of.
  static constexpr absl::Duration kFirstLooking = absl::Milliseconds(1500);
  // Between lines that say for what the pod still waits.
  static constexpr absl::Duration kNewsInterval = absl::Seconds(10);

  struct Process {
    std::optional<Join> join;
    bool open = false;  // its stream stands
    bool ready = false;
    bool failed = false;  // it has sent Failure
    bool done = false;
    std::string weights_hash;
    Lease lease;
    std::uint64_t progress = 0;
    std::int64_t step = 0;
    WaitReport waiting;  // as it said last; empty `what`: for nobody
  };
  // Why the pod failed, and who is to blame (-1: nobody in particular).
  struct Root {
    absl::Status status;
    int process = -1;
    int host = -1;
    std::int64_t step = 0;
    std::string phase;
    bool lost = false;
    bool refused = false;  // there is no place to begin at
    int quoted = -1;       // index in reported_ of the report that it repeats
  };
  // Failures that blame peers, waiting for a stronger cause.
  struct Suspicion {
    absl::Time until;
    std::vector<Root> roots;
  };

  // A checkpoint that some processes have saved their part of.
  struct Saving {
    std::map<int, CheckpointPart> parts;  // by process
    absl::Time since;
    bool committing = false;
  };
  // A question under way: which steps have begun?
  struct Holding {
    bool end = false;
    std::vector<std::optional<std::int64_t>> begun;  // by process
  };

  bool active() const {
    return state_ == PodState::kForming || state_ == PodState::kRunning;
  }
  int processes() const { return static_cast<int>(processes_.size()); }
  std::string Describe(int process) const;
  void OnHeartbeat(absl::Time now, int process, const Heartbeat& heartbeat);
  void Send(int process, CoordinatorMessage message);
  void Emit(absl::Time now, JobEvent event);
  void Tell(std::string line) {
    actions_.emplace_back(LogAction{std::move(line)});
  }

  // Forming.
  absl::Status CheckJoin(const Join& join) const;
  // Of one that has joined and is gone before the pod has formed.
  void FreePlace(absl::Time now, int process);
  void Form(absl::Time now);
  // If all have joined and it is known where to begin.
  void MaybeForm(absl::Time now);
  // The processes that run no more than `isa`, for people.
  std::string RunNoMoreThan(const std::string& isa) const;
  // Notes on the final plan of hosts whose lowest level is `common`.
  absl::StatusOr<std::vector<std::string>> NotesOn(
      const JobPlan& plan, const std::string& common) const;
  void Assign(absl::Time now, const std::vector<std::string>& notes);
  bool OneMachine() const;
  ProcessInfo InfoOf(int process) const;
  std::vector<int> NotJoined() const;
  void TellWhoIsMissing(absl::Time now, absl::Duration left);
  // Looking for the start.
  bool looking() const { return !start_.has_value(); }
  void SendLooking(int process, const std::string& what);
  void CheckLooking(absl::Time now);
  void OnReady(absl::Time now, int process);

  // Running.
  // Whether now is the time for the process to report on the host.
  bool MayReport(int process, int host) const;
  void OnReport(absl::Time now, int process, const HostMessage& report);
  void OnFault(absl::Time now, int process, const FaultInjected& fault);
  void OnDone(absl::Time now, int process, const Done& done);
  bool AnyDone() const;
  // Whoever waits for processes that write their trace is told of it.
  void TellTracing(absl::Time now);
  // If all is done and saved.
  void MaybeFinish(absl::Time now);
  void Finish(absl::Time now);

  // Where the job is, for the log.
  void TellLife(absl::Time now);
  std::string FormingLife() const;
  std::string RunningLife(absl::Time now) const;

  // Saving.
  void OnCheckpoint(absl::Time now, int process, const CheckpointPart& part);
  // All processes are past a step that some did not save.
  void Skip(absl::Time now, std::int64_t step, const Saving& saving);
  // Checkpoints that are written and wait to be committed.
  int Uncommitted() const;
  void TellUncommitted(absl::Time now, absl::Duration limit);
  void OnHeld(absl::Time now, int process, const Held& held);
  // Whether all processes saved the same state; fails the job if not.
  bool SameState(absl::Time now, std::int64_t step, const Saving& saving);
  void Hold(absl::Time now, bool end);
  void CheckSaving(absl::Time now);
  CheckpointManifest ManifestOf(absl::Time now, std::int64_t step,
                                const Saving& saving) const;
  std::int64_t ExamplesAt(std::int64_t step) const;
  google::protobuf::RepeatedPtrField<Stint> StintsUntil(
      std::int64_t step) const;

  // Failing.
  void OnFailure(absl::Time now, int process, const Failure& failure);
  Root MostBlamed() const;
  void CheckForming(absl::Time now);
  void CheckLeases(absl::Time now);
  std::string Missing() const;
  // Adds a line to the report for each process that waits for another.
  void ReportWaiters(absl::Time now);
  Root RootAt(int process, absl::Status status) const;
  Root RootOf(int process, const Failure& failure) const;
  // The process broke the protocol; our bug or a stranger with the token.
  void Violation(absl::Time now, int process, const std::string& what);
  void Fail(absl::Time now, Root root);
  void EmitFailed(absl::Time now);
  // Whatever may follow any input: the last event, the end.
  void Settle(absl::Time now);

  const Options options_;
  JobPlan plan_;  // the draft until formed
  std::optional<PodStart> start_;
  PodState state_ = PodState::kForming;
  bool assigned_ = false;
  absl::Time forming_since_;  // the time to join, then to get ready
  bool ended_ = false;
  std::vector<Process> processes_;
  std::string last_refusal_;
  std::int64_t refusals_ = 0;
  int refusals_told_ = 0;
  absl::Time refusal_told_at_ = absl::InfinitePast();
  absl::Time last_waiting_;  // that it was told for whom the pod waits
  absl::Time next_looking_;  // that it will be told for what
  absl::Time last_life_;     // that the log told where the job is
  std::unique_ptr<JobReports> reports_;  // since RUNNING
  int last_reporter_ = -1;               // the host whose report completed one
  std::int64_t end_step_ = 0;            // the last to be made
  bool drain_wanted_ = false;            // as soon as the pod runs
  bool drained_ = false;
  std::map<std::int64_t, Saving> saving_;  // by step
  std::optional<Holding> holding_;
  absl::Time last_save_;  // begun
  absl::Time last_commit_ = absl::InfinitePast();
  absl::Time all_done_since_ = absl::InfiniteFuture();  // but for commits
  // Since when some process writes its trace.
  absl::Time tracing_since_ = absl::InfiniteFuture();
  absl::Time last_tick_;
  absl::Time closing_since_;  // DONE or FAILED entered
  Root root_;
  bool failed_event_sent_ = false;
  std::optional<Suspicion> suspicion_;
  std::vector<std::string> reported_;  // one line per failure reported
  std::vector<Action> actions_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_MEMBERSHIP_H_
