// Forming and running; how a pod fails is membership_failure.cc's.
#include "runtime/coordinator/membership.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/tensor/kernels.h"
#include "runtime/coordinator/corruption.h"

namespace podsim {
namespace {

bool IsIsaLevel(const std::string& isa) {
  const auto& levels = IsaLevels();
  return std::find(levels.begin(), levels.end(), isa) != levels.end();
}

bool SamePlacement(const JobPlan& a, const JobPlan& b) {
  return a.processes() == b.processes() &&
         a.bits().hosts() == b.bits().hosts() &&
         std::equal(a.first_host().begin(), a.first_host().end(),
                    b.first_host().begin(), b.first_host().end());
}

}  // namespace

Membership::Membership(Options options)
    : options_(std::move(options)),
      plan_(options_.draft),
      processes_(plan_.processes()),
      last_tick_(options_.now) {
  PODSIM_CHECK(CheckPlacement(plan_).ok());
  const StartPoint& start = options_.start;
  end_step_ = plan_.mode() == "eval"
                  ? start.step()
                  : std::max(start.step(), start.last_step());
}

std::string Membership::Describe(int process) const {
  std::string text = absl::StrCat(DescribeHosts(HostsOf(plan_, process)),
                                  " (process ", process);
  if (const auto& join = processes_[process].join; join) {
    absl::StrAppend(&text, ", pid ", join->pid(), " on ", join->hostname());
  }
  return text + ")";
}

absl::Status Membership::CheckJoin(const Join& join) const {
  if (!active()) return absl::UnavailableError("the job has ended");
  if (join.protocol_version() != options_.protocol_version) {
    return absl::FailedPreconditionError(
        absl::StrCat("process ", join.process(), " speaks protocol version ",
                     join.protocol_version(), ", the coordinator ",
                     options_.protocol_version, "; use programs of one build"));
  }
  if (join.build_id() != options_.build_id) {
    return absl::FailedPreconditionError(absl::StrCat(
        "process ", join.process(), " is of build \"", join.build_id(),
        "\", the coordinator of \"", options_.build_id,
        "\"; results are only comparable within one build"));
  }
  if (join.process() < 0 || join.process() >= processes()) {
    return absl::InvalidArgumentError(
        absl::StrCat("process index ", join.process(), " is not in 0 ... ",
                     processes() - 1, ": the pod has ", processes(),
                     " processes for ", plan_.bits().hosts(), " hosts"));
  }
  if (processes_[join.process()].join) {
    return absl::AlreadyExistsError(
        absl::StrCat(Describe(join.process()),
                     " has joined already; give every process its own index"));
  }
  if (!IsIsaLevel(join.isa())) {
    return absl::InvalidArgumentError(
        absl::StrCat("process ", join.process(),
                     " has the unknown ISA level \"", join.isa(), "\""));
  }
  return absl::OkStatus();
}

absl::Status Membership::OnJoin(absl::Time now, const Join& join) {
  if (absl::Status status = CheckJoin(join); !status.ok()) {
    last_refusal_ = std::string(status.message());
    return status;
  }
  Process& process = processes_[join.process()];
  process.join = join;
  process.open = true;
  process.lease.phase = "joining";
  process.lease.last_beat = now;
  if (std::all_of(processes_.begin(), processes_.end(),
                  [](const Process& p) { return p.join.has_value(); })) {
    Form(now);
  }
  Settle(now);
  return absl::OkStatus();
}

// Makes the final plan: the ISA level is what every host can run.
void Membership::Form(absl::Time now) {
  std::string isa = processes_[0].join->isa();
  for (const Process& p : processes_) isa = CommonIsa(isa, p.join->isa());
  absl::StatusOr<JobPlan> plan = options_.make_plan(isa);
  if (!plan.ok()) {
    Fail(now, {.status = Annotate(plan.status(), "the job cannot be planned")});
    return;
  }
  if (!SamePlacement(*plan, plan_)) {
    Fail(now, {.status = absl::InternalError(
                   "the final plan places hosts on other processes than the "
                   "first one: a bug of the planner")});
    return;
  }
  if (CommonIsa(plan->bits().isa(), isa) != plan->bits().isa()) {
    for (int p = 0; p < processes(); ++p) {
      if (processes_[p].join->isa() != isa) continue;
      Fail(now, RootAt(p, absl::FailedPreconditionError(absl::StrCat(
                              "the job asks for ISA level ", plan->bits().isa(),
                              ", ", Describe(p), " runs no more than ", isa,
                              "; pass --isa=", isa, " or leave it out"))));
      return;
    }
  }
  plan_ = *std::move(plan);
  Assign(now);
}

void Membership::Assign(absl::Time now) {
  assigned_ = true;
  CoordinatorMessage message;
  Assignment& assignment = *message.mutable_assignment();
  assignment.set_generation(options_.generation);
  *assignment.mutable_plan() = plan_;
  *assignment.mutable_start() = options_.start;
  assignment.set_stamp(options_.stamp);
  JobEvent event;
  event.mutable_formed()->set_generation(options_.generation);
  *event.mutable_formed()->mutable_plan() = plan_;
  *event.mutable_formed()->mutable_start() = options_.start;
  for (const std::string& note : options_.notes) {
    event.mutable_formed()->add_notes(note);
  }
  for (int p = 0; p < processes(); ++p) {
    const Join& join = *processes_[p].join;
    PeerAddress& peer = *assignment.add_peers();
    peer.set_process(p);
    peer.set_ici_address(join.ici_address());
    const HostRange hosts = HostsOf(plan_, p);
    ProcessInfo& info = *event.mutable_formed()->add_processes();
    info.set_process(p);
    info.set_pid(join.pid());
    info.set_hostname(join.hostname());
    info.set_first_host(hosts.first);
    info.set_hosts(hosts.end - hosts.first);
  }
  Emit(now, std::move(event));
  for (int p = 0; p < processes(); ++p) Send(p, message);
}

void Membership::OnMessage(absl::Time now, int process,
                           const HostMessage& message) {
  Process& from = processes_[process];
  if (!from.open) return;
  // Any message is a sign of life.
  from.lease.last_beat = now;
  switch (message.message_case()) {
    case HostMessage::kHeartbeat:
      OnHeartbeat(now, process, message.heartbeat());
      break;
    case HostMessage::kReady:
      OnReady(now, process);
      break;
    case HostMessage::kStep:
      OnStep(now, process, message.step());
      break;
    case HostMessage::kEval:
      OnEval(now, process, message.eval());
      break;
    case HostMessage::kBench:
      OnBench(now, process, message.bench());
      break;
    case HostMessage::kFailure:
      OnFailure(now, process, message.failure());
      break;
    case HostMessage::kDone:
      OnDone(now, process, message.done());
      break;
    case HostMessage::kCheckpoint:
      OnCheckpoint(now, process, message.checkpoint());
      break;
    case HostMessage::kHeld:
      OnHeld(now, process, message.held());
      break;
    case HostMessage::kDrain:
      OnDrain(now, absl::StrCat(Describe(process), " was told to end (",
                                message.drain().reason(), ")"));
      break;
    case HostMessage::kFault:
      OnFault(now, process, message.fault());
      break;
    case HostMessage::kJoin:
      Violation(now, process, "a second Join");
      break;
    case HostMessage::MESSAGE_NOT_SET:
      Violation(now, process, "a message that this build does not know");
      break;
  }
  Settle(now);
}

void Membership::OnHeartbeat(absl::Time now, int process,
                             const Heartbeat& heartbeat) {
  Process& from = processes_[process];
  // The lease begins with the first beat, at the latest with Start.
  from.lease.beating = true;
  if (heartbeat.progress() != from.progress) from.lease.last_progress = now;
  from.progress = heartbeat.progress();
  from.step = heartbeat.step();
  from.lease.phase = heartbeat.phase();
  from.waiting = heartbeat.waiting();
  from.lease.awaited = -1;
  const int host = heartbeat.waiting().host();
  if (!heartbeat.has_waiting() || host < 0 || host >= plan_.bits().hosts()) {
    return;
  }
  from.lease.awaited = ProcessOf(plan_, host);
  from.lease.waiting_since =
      now - absl::Seconds(std::max(0.0, heartbeat.waiting().seconds()));
}

void Membership::OnReady(absl::Time now, int process) {
  if (!active()) return;
  if (!assigned_ || processes_[process].ready) {
    Violation(now, process, "Ready before its assignment or twice");
    return;
  }
  processes_[process].ready = true;
  if (!std::all_of(processes_.begin(), processes_.end(),
                   [](const Process& p) { return p.ready; })) {
    return;
  }
  // A suspicion from forming may stand; it is judged by the next ticks.
  state_ = PodState::kRunning;
  merger_.emplace(plan_, options_.start, now);
  last_save_ = now;
  if (plan_.has_bench()) bench_.emplace(plan_, OneMachine());
  for (int p = 0; p < processes(); ++p) {
    Lease& lease = processes_[p].lease;
    lease.beating = lease.working = true;
    lease.last_beat = lease.last_progress = now;
    CoordinatorMessage message;
    message.mutable_start();
    Send(p, std::move(message));
  }
  JobEvent event;
  event.mutable_started();
  Emit(now, std::move(event));
}

void Membership::OnStep(absl::Time now, int process, const StepReport& report) {
  if (!active()) return;
  if (state_ != PodState::kRunning || processes_[process].done ||
      !HostsOf(plan_, process).contains(report.host())) {
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
  if (state_ != PodState::kRunning || processes_[process].done ||
      !HostsOf(plan_, process).contains(report.host())) {
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
  if (!bench_ || processes_[process].done ||
      !HostsOf(plan_, process).contains(report.host())) {
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

bool Membership::AllReported(int host) const {
  return bench_ ? bench_->complete(host)
                : merger_->last_step(host) == end_step_;
}

bool Membership::OneMachine() const {
  return std::all_of(
      processes_.begin(), processes_.end(), [this](const Process& p) {
        return p.join->hostname() == processes_[0].join->hostname();
      });
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

void Membership::Send(int process, CoordinatorMessage message) {
  if (!processes_[process].open) return;
  actions_.emplace_back(SendAction{process, std::move(message)});
}

void Membership::Emit(absl::Time now, JobEvent event) {
  event.set_wall_time(absl::ToDoubleSeconds(now - absl::UnixEpoch()));
  actions_.emplace_back(std::move(event));
}

}  // namespace podsim
