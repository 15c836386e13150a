// Who is dead or frozen, judged from heartbeats: a pure function.
//
// A wait is judged by progress, not by lateness. Every process beats from a
// thread of its own and carries a counter of finished work. No beat for
// `heartbeat_timeout`: lost. The counter unchanged for `stall_timeout`: frozen,
// unless the process merely waits for the others. Then one of them is to
// blame, and as long as that one moves, all is well. Only when every process
// waits and none has moved for `stall_timeout` is the pod in deadlock. Then the
// one to blame is whom the first waiter waits for: all others wait because of
// these two.
#ifndef PODSIM_RUNTIME_COORDINATOR_LEASE_H_
#define PODSIM_RUNTIME_COORDINATOR_LEASE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/time/time.h"

namespace podsim {

struct Lease {
  // False: not judged (it has ended, or its lease has not begun).
  bool beating = false;
  // False: only its beats are judged (it does not run steps now).
  bool working = false;
  absl::Time last_beat;
  absl::Time last_progress;
  std::string phase;
  // The process that this one waits for, and since when; -1: not known.
  int awaited = -1;
  absl::Time waiting_since;
};

struct LeaseLimits {
  absl::Duration heartbeat_timeout;
  absl::Duration stall_timeout;
};

enum class LeaseBreach : std::uint8_t { kNoHeartbeat, kFrozen, kDeadlock };

struct LeaseVerdict {
  LeaseBreach breach = LeaseBreach::kNoHeartbeat;
  // The culprit; for kDeadlock whom the first waiter waits for, or, where that
  // is not known, the first to stall.
  int process = 0;
  absl::Duration silent_for;
};

// Whether a phase's name says that the process waits for other hosts.
bool IsWaitingPhase(std::string_view phase);

// `leases` by process. The worst breach, or nullopt when all is well.
std::optional<LeaseVerdict> JudgeLeases(std::span<const Lease> leases,
                                        absl::Time now,
                                        const LeaseLimits& limits);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_LEASE_H_
