// What a host says of itself to the coordinator: that it lives, and of what it
// dies. Pure.
#ifndef PODSIM_HOST_PROCESS_HOST_MESSAGES_H_
#define PODSIM_HOST_PROCESS_HOST_MESSAGES_H_

#include "absl/status/status.h"
#include "host/board/progress.h"
#include "proto/coordinator.pb.h"

namespace podsim {

Heartbeat HeartbeatOf(const Progress::Snapshot& now);

// What surrounds a failure.
struct FailureScene {
  int host = 0;              // the first that the process plays
  Progress::Snapshot at;     // what it was doing
  int awaited = -1;          // the host that its work waits for; -1: none
  bool disk_failed = false;  // its own: nobody else is to blame
};
// Blames another host only for being lost or silent: the one that `status`
// names, else the awaited one.
// REQUIRES: !status.ok().
Failure FailureOf(const absl::Status& status, const FailureScene& scene);

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_HOST_MESSAGES_H_
