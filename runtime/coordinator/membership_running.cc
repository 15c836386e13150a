// A run from the first report to the last Done: what each host may report when,
// what the job's events say of it, and how it ends well.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "job/traced_steps.h"
#include "runtime/coordinator/corruption.h"
#include "runtime/coordinator/membership.h"

namespace podsim {

bool Membership::MayReport(int process, int host) const {
  return state_ == PodState::kRunning && !processes_[process].done &&
         HostsOf(plan_, process).contains(host);
}

void Membership::OnReport(absl::Time now, int process,
                          const HostMessage& report) {
  if (!active()) return;
  const auto label = reports_ ? reports_->Read(report) : std::nullopt;
  if (!label || !MayReport(process, label->host)) {
    Violation(now, process,
              label ? absl::StrCat("a ", label->kind, " of host ", label->host,
                                   " out of turn")
                    : "a report out of turn");
    return;
  }
  Process& from = processes_[process];
  from.lease.last_progress = now;
  from.step = std::max(from.step, label->step);
  Merged<JobEvent> merged = reports_->Add(report);
  if (!merged.status.ok()) {
    const int culprit =
        merged.host >= 0 ? ProcessOf(plan_, merged.host) : process;
    Root root = RootAt(culprit, merged.status);
    if (merged.host >= 0) root.host = merged.host;
    if (label->step >= 0) root.step = label->step;
    Fail(now, std::move(root));
  } else if (merged.event) {
    last_reporter_ = label->host;
    Emit(now, *std::move(merged.event));
  }
}

void Membership::OnFault(absl::Time now, int process,
                         const FaultInjected& fault) {
  if (!active()) return;
  if (fault.index() < 0 || fault.index() >= plan_.faults_size()) {
    Violation(now, process,
              absl::StrCat("fault ", fault.index(), ", which is not planned"));
    return;
  }
  JobEvent event;
  event.mutable_fault()->set_index(fault.index());
  *event.mutable_fault()->mutable_fault() = plan_.faults(fault.index());
  event.mutable_fault()->set_step(fault.step());
  Emit(now, std::move(event));
  CoordinatorMessage message;
  message.mutable_fault_noted()->set_index(fault.index());
  Send(process, std::move(message));
}

void Membership::OnDone(absl::Time now, int process, const Done& done) {
  if (!active()) return;
  const HostRange hosts = HostsOf(plan_, process);
  bool complete = state_ == PodState::kRunning && !processes_[process].done;
  for (int h = hosts.first; complete && h < hosts.end; ++h) {
    complete = reports_->Complete(h, end_step_);
  }
  if (!complete) {
    Violation(now, process, "Done before its last report or twice");
    return;
  }
  processes_[process].done = true;
  processes_[process].lease.working = false;
  processes_[process].weights_hash = done.weights_hash();
  MaybeFinish(now);
}

void Membership::TellTracing(absl::Time now) {
  JobEvent event;
  for (int p = 0; p < processes(); ++p)
    if (!processes_[p].done && processes_[p].lease.phase == kWritingTrace)
      event.mutable_waiting()->add_tracing(p);
  if (!event.has_waiting()) {
    tracing_since_ = absl::InfiniteFuture();
    return;
  }
  if (tracing_since_ > now) {
    tracing_since_ = now;
    last_waiting_ = absl::InfinitePast();
  }
  if (now - tracing_since_ < kFirstLooking ||
      now - last_waiting_ < kNewsInterval)
    return;
  last_waiting_ = now;
  Emit(now, std::move(event));
}

bool Membership::AnyDone() const {
  return std::any_of(processes_.begin(), processes_.end(),
                     [](const Process& p) { return p.done; });
}

void Membership::MaybeFinish(absl::Time now) {
  const bool all = std::all_of(processes_.begin(), processes_.end(),
                               [](const Process& p) { return p.done; });
  if (!active() || !all) return;
  if (all_done_since_ > now) {
    all_done_since_ = now;
    last_waiting_ = absl::InfinitePast();
  }
  if (saving_.empty()) Finish(now);
}

void Membership::Finish(absl::Time now) {
  std::vector<std::string> hashes;
  for (const Process& p : processes_) hashes.push_back(p.weights_hash);
  if (const auto odd = FindDissenter(hashes); odd) {
    const int witness = hashes[0] != hashes[*odd] ? 0 : 1;
    Root root = RootAt(*odd, absl::DataLossError(absl::StrCat(
                                 "after step ", end_step_, " ", Describe(*odd),
                                 " has weights ", hashes[*odd], ", ",
                                 Describe(witness), " has ", hashes[witness],
                                 "; they must be equal bit for bit")));
    root.step = end_step_;
    Fail(now, std::move(root));
    return;
  }
  state_ = PodState::kDone;
  closing_since_ = now;
  suspicion_.reset();
  for (int p = 0; p < processes(); ++p) {
    CoordinatorMessage message;
    message.mutable_finish();
    Send(p, std::move(message));
  }
  JobEvent event;
  event.mutable_done()->set_weights_hash(hashes[0]);
  event.mutable_done()->set_steps(reports_->steps());
  event.mutable_done()->set_examples(reports_->examples());
  event.mutable_done()->set_drained(drained_);
  *event.mutable_done()->mutable_stints() = StintsUntil(end_step_);
  Emit(now, std::move(event));
}

}  // namespace podsim
