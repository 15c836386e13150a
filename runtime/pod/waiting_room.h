// What people read while a pod forms whose hosts others start: where to, who
// has come, who has not, and why one was turned away. Pure.
#ifndef PODSIM_RUNTIME_POD_WAITING_ROOM_H_
#define PODSIM_RUNTIME_POD_WAITING_ROOM_H_

#include <string>

#include "proto/event.pb.h"
#include "proto/job.pb.h"

namespace podsim {

// Where the coordinator listens, and the line that starts a host. `address`:
// the bound one; `hostname`: this machine's, for one that listens everywhere.
std::string InvitationText(const std::string& address,
                           const std::string& hostname, const JobPlan& plan,
                           bool allow_plaintext_network);

// A line about what has happened; empty: nothing that is to be told. That a
// host has joined or left is told of hosts that others start
// (`external_hosts`).
std::string FormingText(const JobEvent& event, bool external_hosts);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_WAITING_ROOM_H_
