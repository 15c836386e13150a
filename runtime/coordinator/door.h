// Accepts the coordinator's TCP connections, so many and no more: gRPC 1.51
// accepts until the process has no descriptor left, and then never again. A
// stranger who opens connections and says nothing would shut the hosts out.
//
// Whoever comes when it is full is hung up on, and may call again: gRPC hangs
// up on those inside that say nothing (listen.cc).
#ifndef PODSIM_RUNTIME_COORDINATOR_DOOR_H_
#define PODSIM_RUNTIME_COORDINATOR_DOOR_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/rpc/address.h"
#include "base/unique_fd.h"

namespace podsim {

// A quarter of the process's descriptors is left for all else; readers of
// figures, however many call, leave another quarter for hosts.
inline constexpr double kHostShare = 0.75;
inline constexpr double kReadersShare = 0.5;

// Whether Door::Open would listen at `address`, a TCP one, now; who dials it
// meanwhile is not let in. Errors: UNAVAILABLE, as of Door::Open.
absl::Status CheckCanListen(const Address& address);

class Door {
 public:
  // Of a connection: whoever is told owns the descriptor from then on.
  using Take = std::function<void(int listener, int connection)>;
  // Of one that was hung up on: why.
  using Refuse = std::function<void(const std::string& why)>;

  // Binds `address`, a TCP one (port 0: any free). Both functions are called
  // from one thread of the door's, until it goes. `share`: of the descriptors
  // of this process, how many may be in use for one more to be let in.
  // Errors: UNAVAILABLE (cannot listen there).
  static absl::StatusOr<std::unique_ptr<Door>> Open(const Address& address,
                                                    Refuse refuse,
                                                    double share = kHostShare);
  ~Door();
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  int port() const { return port_; }
  // Lets connections in. Once.
  void Serve(Take take);

 private:
  Door(UniqueFd listener, UniqueFd wake, int port, int most, Refuse refuse);
  void Accept(const Take& take);

  const UniqueFd listener_;
  const UniqueFd wake_;  // readable: it is over
  const int port_;
  const int most_;  // descriptors of this process, of connections or not
  const Refuse refuse_;
  std::jthread thread_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_DOOR_H_
