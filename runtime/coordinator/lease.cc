// The order of the questions is the judgement: who is silent, who stands
// still of its own accord, does everybody wait.
#include "runtime/coordinator/lease.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace podsim {
namespace {

// The process with the earliest `since` among those that `applies` to.
std::optional<int> Earliest(std::span<const Lease> leases,
                            absl::Time Lease::*since,
                            const std::function<bool(const Lease&)>& applies) {
  std::optional<int> earliest;
  for (int p = 0; p < static_cast<int>(leases.size()); ++p) {
    if (!applies(leases[p])) continue;
    if (!earliest || leases[p].*since < leases[*earliest].*since) earliest = p;
  }
  return earliest;
}

}  // namespace

bool IsWaitingPhase(std::string_view phase) {
  return phase.starts_with("all-reduce") || phase.starts_with("waiting");
}

std::optional<LeaseVerdict> JudgeLeases(std::span<const Lease> leases,
                                        absl::Time now,
                                        const LeaseLimits& limits) {
  const auto silent =
      Earliest(leases, &Lease::last_beat, [&](const Lease& lease) {
        return lease.beating &&
               now - lease.last_beat >= limits.heartbeat_timeout;
      });
  if (silent) {
    return LeaseVerdict{LeaseBreach::kNoHeartbeat, *silent,
                        now - leases[*silent].last_beat};
  }

  // What a process said last counts only while it still speaks: one that has
  // been silent for half a limit is not known to be waiting.
  const absl::Duration stale =
      std::min(limits.heartbeat_timeout, limits.stall_timeout) / 2;
  const auto waits = [&](const Lease& lease) {
    return IsWaitingPhase(lease.phase) && now - lease.last_beat < stale;
  };
  const auto stalled = [&](const Lease& lease) {
    return lease.beating && lease.working &&
           now - lease.last_progress >= limits.stall_timeout;
  };
  const auto frozen = Earliest(
      leases, &Lease::last_progress,
      [&](const Lease& lease) { return stalled(lease) && !waits(lease); });
  if (frozen) {
    return LeaseVerdict{LeaseBreach::kFrozen, *frozen,
                        now - leases[*frozen].last_progress};
  }

  const bool some_move =
      std::any_of(leases.begin(), leases.end(), [&](const Lease& lease) {
        return lease.beating && lease.working && !stalled(lease);
      });
  const auto first = Earliest(leases, &Lease::last_progress, stalled);
  if (!first || some_move) return std::nullopt;
  const auto first_waiter =
      Earliest(leases, &Lease::waiting_since, [&](const Lease& lease) {
        return stalled(lease) && lease.awaited >= 0 &&
               &lease != &leases[lease.awaited];
      });
  if (first_waiter) {
    const Lease& waiter = leases[*first_waiter];
    return LeaseVerdict{LeaseBreach::kDeadlock, waiter.awaited,
                        now - waiter.waiting_since};
  }
  return LeaseVerdict{LeaseBreach::kDeadlock, *first,
                      now - leases[*first].last_progress};
}

}  // namespace podsim
