// What time brings to light: who has not come, who is silent, who stands still.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/coordinator/membership.h"

namespace podsim {
namespace {

// A gap between two ticks longer than this is our own standstill (stopped with
// a signal, machine overloaded), in which nobody's beats could be read.
constexpr absl::Duration kOwnStandstill = absl::Seconds(2);

// How long hosts that gave up on each other may take to say so.
constexpr absl::Duration kReports = absl::Seconds(2);

std::string Seconds(absl::Duration duration) {
  return absl::FormatDuration(absl::Trunc(duration, absl::Milliseconds(100)));
}

}  // namespace

void Membership::OnTick(absl::Time now) {
  if (const absl::Duration gap = now - last_tick_; gap > kOwnStandstill) {
    forming_since_ = std::min(now, forming_since_ + gap);
    // Who took the model_dir meanwhile is told by the commit itself.
    for (auto& [step, saving] : saving_)
      saving.since = std::min(now, saving.since + gap);
    for (Process& p : processes_) {
      p.lease.last_beat = std::min(now, p.lease.last_beat + gap);
      p.lease.last_progress = std::min(now, p.lease.last_progress + gap);
    }
  }
  last_tick_ = now;
  if (active() && suspicion_ && now >= suspicion_->until) {
    Fail(now, MostBlamed());
  }
  if (state_ == PodState::kForming)
    looking() ? CheckLooking(now) : CheckForming(now);
  if (active()) CheckLeases(now);
  if (state_ == PodState::kRunning) CheckSaving(now);
  if (state_ == PodState::kRunning) TellTracing(now);
  if (active()) TellLife(now);
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
  const absl::Duration limit =
      absl::Seconds(plan_.spec().initialization_timeout());
  // The hosts have as long to connect, and know better what is in the way.
  if (now - forming_since_ < (assigned_ ? limit + kReports : limit)) {
    TellWhoIsMissing(now, limit - (now - forming_since_));
    return;
  }
  const auto missing = std::find_if(
      processes_.begin(), processes_.end(), [this](const Process& p) {
        return assigned_ ? !p.ready : !p.join.has_value();
      });
  std::string message = absl::StrCat("the pod did not form within ",
                                     Seconds(limit), ": ", Missing());
  if (!last_refusal_.empty()) {
    absl::StrAppend(&message, "; last refused: ", last_refusal_);
    if (refusals_ > 1) absl::StrAppend(&message, " (one of ", refusals_, ")");
  }
  absl::StrAppend(&message, "; --initialization_timeout raises the limit");
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
      {.heartbeat_timeout = absl::Seconds(plan_.spec().heartbeat_timeout()),
       .stall_timeout = absl::Seconds(plan_.spec().stall_timeout())});
  if (!verdict) return;
  const Process& culprit = processes_[verdict->process];
  const std::string who = Describe(verdict->process);
  const std::string doing =
      absl::StrCat("step ", culprit.step, ", ", culprit.lease.phase);
  const std::string silent = Seconds(verdict->silent_for);
  std::string message;
  switch (verdict->breach) {
    case LeaseBreach::kNoHeartbeat:
      message =
          absl::StrCat(who, " sent no heartbeat for ", silent, " (", doing,
                       "): stopped, or cut off; --heartbeat_timeout "
                       "raises the limit");
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

}  // namespace podsim
