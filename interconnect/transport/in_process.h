// Transports that live in one process and pass frames by reference: the local
// path of a packed pod, and the network of most tests.
//
//   InProcessNetwork network;
//   std::unique_ptr<Transport> a = network.Join({0, 1});
//   std::unique_ptr<Transport> b = network.Join({2});
//   a->SetSink(0, &sink);
//   a->Send({.from = 0, .to = 2}, bytes, token);
//   b->Poll(absl::ZeroDuration());
//
// Bounds and back-pressure are those of the gRPC transport. Nothing is copied:
// a Payload points into the sender's bytes, so OnSendDone comes only when the
// receiver has let go of it, and a receiver must not keep payloads of a sender
// whose buffers are gone. There is nothing on the way that could damage a
// frame, so there is no checksum; where tests want damage, a wire of the tests
// (faults/wire.h) carries encoded frames over this one. The network is one pod
// in one generation, so that is not checked either.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_IN_PROCESS_H_
#define PODSIM_INTERCONNECT_TRANSPORT_IN_PROCESS_H_

#include <memory>
#include <vector>

#include "interconnect/transport/endpoint.h"

namespace podsim {

// Thread-safe. May die before its transports.
class InProcessNetwork {
 public:
  InProcessNetwork();
  ~InProcessNetwork();

  // A transport for these hosts. Different transports may be used by different
  // threads. When one is destroyed, frames of its hosts that nobody has been
  // told of are taken back and the others hear OnPeerLost.
  // REQUIRES: `local_hosts` is not empty, and no host ever joined before.
  std::unique_ptr<Transport> Join(std::vector<int> local_hosts);

  class Directory;

 private:
  std::shared_ptr<Directory> directory_;
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_IN_PROCESS_H_
