// How a pod forms: who may join, the final plan, everybody's start.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/units.h"
#include "interconnect/topology/accelerator_type.h"
#include "models/kernels/kernels.h"
#include "runtime/coordinator/membership.h"

namespace podsim {
namespace {

// Refusals that are told of at once: mistakes of whoever starts the hosts.
constexpr int kPromptRefusals = 20;

bool IsIsaLevel(const std::string& isa) {
  const auto& levels = IsaLevels();
  return std::find(levels.begin(), levels.end(), isa) != levels.end();
}

bool SamePlacement(const JobPlan& a, const JobPlan& b) {
  return a.bits().hosts() == b.bits().hosts() &&
         std::equal(a.first_host().begin(), a.first_host().end(),
                    b.first_host().begin(), b.first_host().end());
}

}  // namespace

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
        "\"; results are only comparable within one build: use programs of "
        "one build"));
  }
  if (join.process() < 0 || join.process() >= processes()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "process index ", join.process(), " is not in 0 ... ", processes() - 1,
        ": the pod has ", FormatCounted(processes(), "process"), " for ",
        FormatCounted(plan_.bits().hosts(), "host"),
        "; give pod_host one of them as --process"));
  }
  if (processes_[join.process()].join) {
    return absl::AlreadyExistsError(
        absl::StrCat(Describe(join.process()),
                     " has joined already; give every pod_host its own "
                     "--process"));
  }
  if (const absl::Status slice =
          CheckAcceleratorType(join.accelerator_type(), plan_.bits().slice());
      !slice.ok()) {
    return Annotate(slice, absl::StrCat("process ", join.process(), " on ",
                                        join.hostname()));
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
    OnRefused(now, 1, std::string(status.message()));
    return status;
  }
  Process& process = processes_[join.process()];
  process.join = join;
  process.open = true;
  process.lease.phase = "joining";
  process.lease.last_beat = now;
  JobEvent event;
  HostJoined& joined = *event.mutable_joined();
  *joined.mutable_process() = InfoOf(join.process());
  for (const int missing : NotJoined()) joined.add_missing(missing);
  joined.set_joined(processes() - joined.missing_size());
  Tell(absl::StrCat("joined: ", Describe(join.process()), ", isa ", join.isa(),
                    ", frames at ", join.ici_address(), "; ", joined.joined(),
                    " of ", processes()));
  Emit(now, std::move(event));
  if (looking()) SendLooking(join.process(), options_.looking);
  MaybeForm(now);
  Settle(now);
  return absl::OkStatus();
}

void Membership::MaybeForm(absl::Time now) {
  if (!looking() && NotJoined().empty()) Form(now);
}

// Nobody counts on it yet: another may come in its place.
void Membership::FreePlace(absl::Time now, int process) {
  const std::string who = Describe(process);
  JobEvent event;
  HostLeft& left = *event.mutable_left();
  *left.mutable_process() = InfoOf(process);
  processes_[process] = Process();
  for (const int missing : NotJoined()) left.add_missing(missing);
  left.set_joined(processes() - left.missing_size());
  Tell(absl::StrCat(who, " left before the pod formed: its place is free; ",
                    left.joined(), " of ", processes()));
  Emit(now, std::move(event));
}

void Membership::OnRefused(absl::Time now, std::int64_t count,
                           const std::string& why) {
  const bool other = why != last_refusal_;
  refusals_ += count;
  last_refusal_ = why;
  if (!active()) return;
  const bool prompt = other && refusals_told_ < kPromptRefusals;
  if (!prompt && now - refusal_told_at_ < kNewsInterval) return;
  ++refusals_told_;
  refusal_told_at_ = now;
  JobEvent event;
  event.mutable_refused()->set_reason(why);
  event.mutable_refused()->set_count(refusals_);
  Emit(now, std::move(event));
}

std::vector<int> Membership::NotJoined() const {
  std::vector<int> missing;
  for (int p = 0; p < processes(); ++p) {
    if (!processes_[p].join) missing.push_back(p);
  }
  return missing;
}

void Membership::TellWhoIsMissing(absl::Time now, absl::Duration left) {
  if (now - last_waiting_ < kNewsInterval) return;
  last_waiting_ = now;
  JobEvent event;
  PodWaiting& waiting = *event.mutable_waiting();
  for (int p = 0; p < processes(); ++p) {
    if (!processes_[p].join) {
      waiting.add_missing(p);
    } else if (assigned_ && !processes_[p].ready) {
      waiting.add_unready(p);
    }
  }
  waiting.set_seconds_left(std::max(0.0, absl::ToDoubleSeconds(left)));
  Emit(now, std::move(event));
}

ProcessInfo Membership::InfoOf(int process) const {
  const Join& join = *processes_[process].join;
  const HostRange hosts = HostsOf(plan_, process);
  ProcessInfo info;
  info.set_process(process);
  info.set_pid(join.pid());
  info.set_hostname(join.hostname());
  info.set_first_host(hosts.first);
  info.set_hosts(hosts.end - hosts.first);
  return info;
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
  const absl::StatusOr<std::vector<std::string>> notes = NotesOn(*plan, isa);
  if (!notes.ok()) {
    const auto limits =
        std::find_if(processes_.begin(), processes_.end(),
                     [&isa](const Process& p) { return p.join->isa() == isa; });
    Fail(now,
         RootAt(static_cast<int>(limits - processes_.begin()), notes.status()));
    return;
  }
  plan_ = *std::move(plan);
  Assign(now, *notes);
}

std::string Membership::RunNoMoreThan(const std::string& isa) const {
  std::vector<std::string> names;
  for (int p = 0; p < processes(); ++p) {
    if (processes_[p].join->isa() == isa) names.push_back(Describe(p));
  }
  return absl::StrCat(absl::StrJoin(names, ", "),
                      names.size() == 1 ? " runs" : " run", " no more than ",
                      isa);
}

absl::StatusOr<std::vector<std::string>> Membership::NotesOn(
    const JobPlan& plan, const std::string& common) const {
  const std::string& isa = plan.bits().isa();
  if (CommonIsa(isa, common) != isa) {
    return absl::FailedPreconditionError(
        absl::StrCat("the job is to run at ISA level ", isa,
                     " (--isa, or what it ran at before a restart), but ",
                     RunNoMoreThan(common), "; --isa=", common, " would do"));
  }
  std::vector<std::string> notes = start_->notes;
  if (const std::string& drafted = plan_.bits().isa(); drafted != isa) {
    notes.push_back(absl::StrCat(
        "isa ", isa, " instead of ", drafted, ": ",
        isa == common && CommonIsa(isa, drafted) == isa
            ? RunNoMoreThan(isa)
            : "every host runs it, other than the coordinator's machine"));
  }
  auto differences = start_->compare(plan);
  if (!differences.ok()) {
    return Annotate(differences.status(), RunNoMoreThan(common));
  }
  notes.insert(notes.end(), differences->begin(), differences->end());
  return notes;
}

void Membership::Assign(absl::Time now, const std::vector<std::string>& notes) {
  assigned_ = true;
  forming_since_ = now;
  CoordinatorMessage message;
  Assignment& assignment = *message.mutable_assignment();
  assignment.set_generation(options_.generation);
  *assignment.mutable_plan() = plan_;
  *assignment.mutable_start() = start_->point;
  assignment.set_stamp(start_->stamp);
  assignment.set_keeps_trace(options_.keeps_trace);
  JobEvent event;
  event.mutable_formed()->set_generation(options_.generation);
  *event.mutable_formed()->mutable_plan() = plan_;
  event.mutable_formed()->mutable_plan()->clear_program();
  *event.mutable_formed()->mutable_start() = start_->point;
  for (const std::string& note : notes) {
    event.mutable_formed()->add_notes(note);
  }
  for (int p = 0; p < processes(); ++p) {
    const Join& join = *processes_[p].join;
    PeerAddress& peer = *assignment.add_peers();
    peer.set_process(p);
    peer.set_ici_address(join.ici_address());
    *event.mutable_formed()->add_processes() = InfoOf(p);
  }
  Emit(now, std::move(event));
  for (int p = 0; p < processes(); ++p) {
    Send(p, message);
    Tell(absl::StrCat("plan ", plan_.hash(), " (isa ", plan_.bits().isa(),
                      ", generation ", options_.generation, ") handed to ",
                      Describe(p)));
  }
}

bool Membership::OneMachine() const {
  return std::all_of(
      processes_.begin(), processes_.end(), [this](const Process& p) {
        return p.join->hostname() == processes_[0].join->hostname();
      });
}

void Membership::OnReady(absl::Time now, int process) {
  if (!active()) return;
  if (!assigned_ || processes_[process].ready) {
    Violation(now, process, "Ready before its assignment or twice");
    return;
  }
  processes_[process].ready = true;
  Tell(absl::StrCat("ready: ", Describe(process)));
  if (!std::all_of(processes_.begin(), processes_.end(),
                   [](const Process& p) { return p.ready; })) {
    return;
  }
  // A suspicion from forming may stand; it is judged by the next ticks.
  state_ = PodState::kRunning;
  reports_ = options_.make_reports(
      {.plan = &plan_, .start = start_->point, .one_machine = OneMachine()});
  last_save_ = now;
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
  if (drain_wanted_) Hold(now, /*end=*/true);
}

}  // namespace podsim
