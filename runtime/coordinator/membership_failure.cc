// How a pod fails: who is to blame, who is told, when it is over.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "runtime/coordinator/membership.h"

namespace podsim {
namespace {

// How long a failure that blames a peer waits for a stronger cause: the
// peer's own stream breaks, or reports, within milliseconds of its death.
constexpr absl::Duration kSuspicion = absl::Milliseconds(500);
// How long the event waits for what the others have to say.
constexpr absl::Duration kOthers = absl::Milliseconds(500);
// A gap between two ticks longer than this is our own standstill (stopped with
// a signal, machine overloaded), in which nobody's beats could be read.
constexpr absl::Duration kOwnStandstill = absl::Seconds(2);

std::string Seconds(absl::Duration duration) {
  return absl::FormatDuration(absl::Trunc(duration, absl::Milliseconds(100)));
}

// Whether a failure may be somebody else's doing.
bool IsConsequence(const Failure& failure, HostRange own) {
  if (failure.blamed_host() >= 0 && !own.contains(failure.blamed_host())) {
    return true;
  }
  switch (static_cast<absl::StatusCode>(failure.code())) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kAborted:
      return true;
    default:
      return false;
  }
}

// Peers send numbers; OK or an unknown one must not read as success.
absl::StatusCode FailureCode(int code) {
  const auto last = static_cast<int>(absl::StatusCode::kUnauthenticated);
  return code > 0 && code <= last ? static_cast<absl::StatusCode>(code)
                                  : absl::StatusCode::kUnknown;
}

}  // namespace

Membership::Root Membership::RootAt(int process, absl::Status status) const {
  const Process& culprit = processes_[process];
  return {.status = std::move(status),
          .process = process,
          .host = HostsOf(plan_, process).first,
          .step = culprit.step,
          .phase = culprit.lease.phase};
}

Membership::Root Membership::RootOf(int process, const Failure& failure) const {
  const absl::StatusCode code = FailureCode(failure.code());
  const int blamed = failure.blamed_host();
  const HostRange own = HostsOf(plan_, process);
  if (blamed >= 0 && blamed < plan_.bits().hosts() && !own.contains(blamed)) {
    const int culprit = ProcessOf(plan_, blamed);
    Root root = RootAt(
        culprit,
        absl::Status(
            code, absl::StrCat(
                      Describe(process), " failed for want of host ", blamed,
                      ", whose process still answers: ", failure.message())));
    root.host = blamed;
    return root;
  }
  Root root = RootAt(process, absl::Status(code, failure.message()));
  if (own.contains(failure.host())) root.host = failure.host();
  root.step = failure.step();
  root.phase = failure.phase();
  return root;
}

void Membership::OnFailure(absl::Time now, int process,
                           const Failure& failure) {
  processes_[process].failed = true;
  const auto code = static_cast<absl::StatusCode>(failure.code());
  // Once told to end, a process that says so has nothing to add.
  if (!active() && (code == absl::StatusCode::kCancelled ||
                    code == absl::StatusCode::kAborted)) {
    return;
  }
  std::string line = Describe(process);
  if (failure.step() > 0) absl::StrAppend(&line, ", step ", failure.step());
  if (!failure.phase().empty()) absl::StrAppend(&line, ", ", failure.phase());
  reported_.push_back(absl::StrCat(line, ": ", failure.message()));
  if (!active()) return;
  Root root = RootOf(process, failure);
  root.quoted = static_cast<int>(reported_.size()) - 1;
  if (!IsConsequence(failure, HostsOf(plan_, process))) {
    Fail(now, std::move(root));
  } else {
    if (!suspicion_) suspicion_ = {.until = now + kSuspicion, .roots = {}};
    suspicion_->roots.push_back(std::move(root));
  }
}

// The first of those that name the host named most often. A peer that hung up
// had its reasons: it counts only where nobody is out of reach.
Membership::Root Membership::MostBlamed() const {
  const std::vector<Root>& roots = suspicion_->roots;
  const int everyone = processes();
  const auto votes = [&](const Root& accused) {
    int sum = 0;
    for (const Root& root : roots) {
      if (root.host != accused.host) continue;
      sum += absl::IsCancelled(root.status) ? 1 : everyone + 1;
    }
    return sum;
  };
  return *std::max_element(
      roots.begin(), roots.end(),
      [&](const Root& a, const Root& b) { return votes(a) < votes(b); });
}

void Membership::OnClosed(absl::Time now, int process) {
  Process& gone = processes_[process];
  if (!gone.open) return;
  gone.open = false;
  gone.lease.beating = false;
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

void Membership::OnTick(absl::Time now) {
  if (const absl::Duration gap = now - last_tick_; gap > kOwnStandstill) {
    for (Process& p : processes_) {
      p.lease.last_beat = std::min(now, p.lease.last_beat + gap);
      p.lease.last_progress = std::min(now, p.lease.last_progress + gap);
    }
  }
  last_tick_ = now;
  if (active() && suspicion_ && now >= suspicion_->until) {
    Fail(now, MostBlamed());
  }
  if (state_ == PodState::kForming) CheckForming(now);
  if (active()) CheckLeases(now);
  if (state_ == PodState::kRunning) CheckSaving(now);
  Settle(now);
}

// "processes 1, 3 have not joined" or "process 2 is not ready".
std::string Membership::Missing() const {
  std::vector<std::string> names;
  for (int p = 0; p < processes(); ++p) {
    const bool here =
        assigned_ ? processes_[p].ready : processes_[p].join.has_value();
    if (!here) names.push_back(Describe(p));
  }
  return absl::StrCat(
      absl::StrJoin(names, ", "),
      assigned_ ? " joined but did not become ready" : " did not join");
}

void Membership::CheckForming(absl::Time now) {
  const absl::Duration limit = absl::Seconds(plan_.initialization_timeout());
  if (now - options_.now < limit) return;
  const auto missing = std::find_if(
      processes_.begin(), processes_.end(), [this](const Process& p) {
        return assigned_ ? !p.ready : !p.join.has_value();
      });
  std::string message = absl::StrCat("the pod did not form within ",
                                     Seconds(limit), ": ", Missing());
  if (!last_refusal_.empty()) {
    absl::StrAppend(&message, "; last refused: ", last_refusal_);
  }
  Fail(now, RootAt(static_cast<int>(missing - processes_.begin()),
                   absl::DeadlineExceededError(message)));
}

void Membership::ReportWaiters(absl::Time now) {
  for (int p = 0; p < processes(); ++p) {
    const Process& waiter = processes_[p];
    if (waiter.lease.awaited < 0) continue;
    reported_.push_back(absl::StrCat(
        Describe(p), " waits: ", waiter.waiting.what(), ", step ", waiter.step,
        ", since ", Seconds(now - waiter.lease.waiting_since)));
  }
}

void Membership::CheckLeases(absl::Time now) {
  std::vector<Lease> leases;
  leases.reserve(processes_.size());
  for (const Process& p : processes_) leases.push_back(p.lease);
  const auto verdict = JudgeLeases(
      leases, now,
      {.heartbeat_timeout = absl::Seconds(plan_.heartbeat_timeout()),
       .stall_timeout = absl::Seconds(plan_.stall_timeout())});
  if (!verdict) return;
  const Process& culprit = processes_[verdict->process];
  const std::string who = Describe(verdict->process);
  const std::string doing =
      absl::StrCat("step ", culprit.step, ", ", culprit.lease.phase);
  const std::string silent = Seconds(verdict->silent_for);
  std::string message;
  switch (verdict->breach) {
    case LeaseBreach::kNoHeartbeat:
      message = absl::StrCat(who, " sent no heartbeat for ", silent, " (",
                             doing, "): stopped, or cut off");
      break;
    case LeaseBreach::kFrozen:
      message = absl::StrCat(who, " is frozen: no progress for ", silent, " (",
                             doing, "); --stall_timeout raises the limit");
      break;
    case LeaseBreach::kDeadlock:
      message = absl::StrCat("every host waits for another, first of all for ",
                             who, ", since ", silent, " (", doing, ")");
      break;
  }
  ReportWaiters(now);
  Fail(now, RootAt(verdict->process, absl::DeadlineExceededError(message)));
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
  ended_ =
      ended_ ||
      (told && (all_gone || since >= absl::Seconds(plan_.shutdown_timeout())));
}

}  // namespace podsim
