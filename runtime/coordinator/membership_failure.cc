// How a pod fails: who is told, when it is over.
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runtime/coordinator/membership.h"

namespace podsim {
namespace {

// How long the event waits for what the others have to say.
constexpr absl::Duration kOthers = absl::Milliseconds(500);

}  // namespace

void Membership::OnClosed(absl::Time now, int process) {
  Process& gone = processes_[process];
  if (!gone.open) return;
  if (state_ == PodState::kForming && !assigned_ && !gone.failed) {
    FreePlace(now, process);
    return;
  }
  gone.open = false;
  gone.lease.beating = false;
  Tell(absl::StrCat("left: ", Describe(process), ": ",
                    state_ == PodState::kDone ? "the job is done"
                    : gone.failed             ? "it had failed"
                    : state_ == PodState::kFailed
                        ? "the job failed"
                        : "its connection broke without a word"));
  // After its Failure a process is expected to go.
  if (active() && !gone.failed) {
    Root root =
        RootAt(process, absl::UnavailableError(absl::StrCat(
                            Describe(process),
                            " was lost: its connection broke without a word")));
    root.lost = true;
    Fail(now, std::move(root));
  }
  Settle(now);
}

void Membership::Violation(absl::Time now, int process,
                           const std::string& what) {
  if (!active()) return;
  Fail(now, RootAt(process, absl::InternalError(
                                absl::StrCat(Describe(process), " sent ", what,
                                             ": a bug in podsim"))));
}

void Membership::OnStop(absl::Time now, const std::string& reason) {
  if (active()) Fail(now, {.status = absl::CancelledError(reason)});
  Settle(now);
}

void Membership::Fail(absl::Time now, Root root) {
  PODSIM_CHECK(active() && !root.status.ok());
  state_ = PodState::kFailed;
  closing_since_ = now;
  root_ = std::move(root);
  suspicion_.reset();
  for (int p = 0; p < processes(); ++p) {
    if (processes_[p].failed) continue;  // it knows
    CoordinatorMessage message;
    message.mutable_abort()->set_reason(
        absl::StrCat("the job failed: ", root_.status.message()));
    Send(p, std::move(message));
  }
}

void Membership::EmitFailed(absl::Time now) {
  failed_event_sent_ = true;
  JobEvent event;
  JobFailed& failed = *event.mutable_failed();
  failed.set_host(root_.host);
  failed.set_process(root_.process);
  if (root_.process >= 0 && processes_[root_.process].join) {
    failed.set_pid(processes_[root_.process].join->pid());
  }
  failed.set_step(root_.step);
  failed.set_phase(root_.phase);
  failed.set_message(std::string(root_.status.message()));
  failed.set_lost(root_.lost);
  failed.set_refused(root_.refused);
  failed.set_code(static_cast<int>(root_.status.code()));
  for (int i = 0; i < static_cast<int>(reported_.size()); ++i) {
    if (i != root_.quoted) failed.add_others(reported_[i]);
  }
  Emit(now, std::move(event));
}

void Membership::Settle(absl::Time now) {
  if (active()) return;
  // The culprit may be frozen or cut off: nobody waits for its answer.
  bool all_gone = true;
  for (int p = 0; p < processes(); ++p) {
    if (p != root_.process && processes_[p].open) all_gone = false;
  }
  const absl::Duration since = now - closing_since_;
  if (state_ == PodState::kFailed && !failed_event_sent_ &&
      (all_gone || since >= kOthers)) {
    EmitFailed(now);
  }
  const bool told = state_ == PodState::kDone || failed_event_sent_;
  ended_ = ended_ ||
           (told && (all_gone ||
                     since >= absl::Seconds(plan_.spec().shutdown_timeout())));
}

}  // namespace podsim
