// What all of a pod's life needs: the start, each message's way to its handler,
// heartbeats, what is sent. Forming, running, saving and failing are parts of
// it, each in a membership_*.cc of its own.
#include "runtime/coordinator/membership.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {

Membership::Membership(Options options)
    : options_(std::move(options)),
      plan_(options_.draft),
      forming_since_(options_.now),
      processes_(plan_.spec().processes()),
      last_waiting_(options_.now),
      next_looking_(options_.now + kFirstLooking),
      last_life_(options_.now),
      last_tick_(options_.now) {
  PODSIM_CHECK(CheckPlacement(plan_).ok());
}

std::string Membership::Describe(int process) const {
  std::string text = absl::StrCat(DescribeHosts(HostsOf(plan_, process)),
                                  " (process ", process);
  if (const auto& join = processes_[process].join; join) {
    absl::StrAppend(&text, ", pid ", join->pid(), " on ", join->hostname());
  }
  return text + ")";
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
    default:
      OnReport(now, process, message);
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

void Membership::Send(int process, CoordinatorMessage message) {
  if (!processes_[process].open) return;
  actions_.emplace_back(SendAction{process, std::move(message)});
}

void Membership::Emit(absl::Time now, JobEvent event) {
  event.set_wall_time(absl::ToDoubleSeconds(now - absl::UnixEpoch()));
  actions_.emplace_back(std::move(event));
}

}  // namespace podsim
