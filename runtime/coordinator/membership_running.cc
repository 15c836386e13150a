// A run from the first report to the last Done: what each host may report when,
// what the job's events say of it, and how it ends well.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/coordinator/corruption.h"
#include "runtime/coordinator/membership.h"

namespace podsim {

bool Membership::MayReport(int process, int host) const {
  return state_ == PodState::kRunning && !processes_[process].done &&
         HostsOf(plan_, process).contains(host);
}

void Membership::OnStep(absl::Time now, int process, const StepReport& report) {
  if (!active()) return;
  if (!MayReport(process, report.host())) {
    Violation(
        now, process,
        absl::StrCat("a step report of host ", report.host(), " out of turn"));
    return;
  }
  Process& from = processes_[process];
  from.lease.last_progress = now;
  from.step = std::max(from.step, report.step());
  Merged<StepDone> merged = merger_->AddStep(now, report);
  if (!merged.status.ok()) {
    Root root = RootAt(ProcessOf(plan_, merged.host), merged.status);
    root.host = merged.host;
    root.step = report.step();
    Fail(now, std::move(root));
  } else if (merged.event) {
    JobEvent event;
    *event.mutable_step() = *std::move(merged.event);
    Emit(now, std::move(event));
  }
}

void Membership::OnEval(absl::Time now, int process, const EvalReport& report) {
  if (!active()) return;
  if (!MayReport(process, report.host())) {
    Violation(now, process,
              absl::StrCat("an evaluation report of host ", report.host(),
                           " out of turn"));
    return;
  }
  processes_[process].lease.last_progress = now;
  Merged<EvalDone> merged = merger_->AddEval(report);
  if (!merged.status.ok()) {
    Fail(now, RootAt(process, merged.status));
  } else if (merged.event) {
    JobEvent event;
    *event.mutable_eval() = *std::move(merged.event);
    Emit(now, std::move(event));
  }
}

void Membership::OnBench(absl::Time now, int process,
                         const BenchReport& report) {
  if (!active()) return;
  if (!bench_ || !MayReport(process, report.host())) {
    Violation(now, process,
              absl::StrCat("a benchmark report of host ", report.host(),
                           " out of turn"));
    return;
  }
  processes_[process].lease.last_progress = now;
  Merged<BenchRow> merged = bench_->Add(report);
  if (!merged.status.ok()) {
    Fail(now, RootAt(process, merged.status));
  } else if (merged.event) {
    JobEvent event;
    *event.mutable_bench() = *std::move(merged.event);
    Emit(now, std::move(event));
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

bool Membership::AllReported(int host) const {
  return bench_ ? bench_->complete(host)
                : merger_->last_step(host) == end_step_;
}

void Membership::OnDone(absl::Time now, int process, const Done& done) {
  if (!active()) return;
  const HostRange hosts = HostsOf(plan_, process);
  bool complete = state_ == PodState::kRunning && !processes_[process].done;
  for (int h = hosts.first; complete && h < hosts.end; ++h) {
    complete = AllReported(h);
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

bool Membership::AnyDone() const {
  return std::any_of(processes_.begin(), processes_.end(),
                     [](const Process& p) { return p.done; });
}

void Membership::MaybeFinish(absl::Time now) {
  const bool all = std::all_of(processes_.begin(), processes_.end(),
                               [](const Process& p) { return p.done; });
  if (active() && all && saving_.empty()) Finish(now);
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
  event.mutable_done()->set_steps(merger_->steps_done());
  event.mutable_done()->set_examples(merger_->examples());
  event.mutable_done()->set_drained(drained_);
  if (!bench_) *event.mutable_done()->mutable_stints() = StintsUntil(end_step_);
  Emit(now, std::move(event));
}

}  // namespace podsim
