// Binds the coordinator's address and serves it.
#ifndef PODSIM_RUNTIME_COORDINATOR_LISTEN_H_
#define PODSIM_RUNTIME_COORDINATOR_LISTEN_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/rpc/security.h"
#include "runtime/coordinator/door.h"

namespace podsim {

struct Listener {
  std::unique_ptr<grpc::Server> server;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor;
  std::unique_ptr<Door> door;  // of TCP
  std::string address;         // what hosts dial, with the port that was bound
};

// Serves `services`, which must outlive the server, at "unix:/path" or
// "host:port" (port 0: any free). An address in use is refused, never shared or
// taken over. `refuse` hears of TCP connections that were hung up on because
// there were too many; `share` likewise (door.h).
// Errors: INVALID_ARGUMENT (address), FAILED_PRECONDITION (plain text beyond
//   this machine), UNAVAILABLE (cannot listen there).
absl::StatusOr<Listener> Listen(const std::string& where,
                                const RpcSecurity& security,
                                const std::vector<grpc::Service*>& services,
                                Door::Refuse refuse, double share = kHostShare);

// Ends the server: calls have `farewell` to end by themselves, then they are
// cancelled, and their connections hung up on. gRPC 1.51 closes no connection
// while it writes to it: without that a reader that is stopped (SIGSTOP) and
// whose socket is full would keep the server for ever.
void ShutDown(Listener& listener, absl::Duration farewell);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_LISTEN_H_
