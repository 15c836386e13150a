// What can be said of the coordinator's address before and while it is called.
#ifndef PODSIM_HOST_PROCESS_COORDINATOR_ADDRESS_H_
#define PODSIM_HOST_PROCESS_COORDINATOR_ADDRESS_H_

#include <string>

#include "absl/status/status.h"
#include "proto/programs.pb.h"

namespace podsim {

// Looks a host name up, which may take seconds where no name server answers;
// that alone is no error, as it may answer later.
// Errors: INVALID_ARGUMENT, FAILED_PRECONDITION, one line that names the flag:
//   --coordinator, --ici_listen or --ici_advertise is no address, may not be
//   used without encryption, or is a host name that nobody knows; what others
//   call is an address to listen at, 0.0.0.0 or port 0.
absl::Status CheckHostAddresses(const HostSettings& settings);

// Whether somebody may answer at `address`, by a connection that is tried for
// at most half a second; what cannot be told by then passes. Errors: NOT_FOUND:
// "there is no such socket", "nobody listens there", a name
//   that nobody knows; INVALID_ARGUMENT (no address).
absl::Status CheckSomebodyListens(const std::string& address);

// Why nobody answers at `address`, which is connected to for at most half a
// second: "there is no such socket", "nobody listens there".
std::string WhyNoAnswer(const std::string& address);

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_COORDINATOR_ADDRESS_H_
