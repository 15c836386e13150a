// Room in the kernel for what gRPC writes to Unix sockets.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_SOCKET_BUFFERS_H_
#define PODSIM_INTERCONNECT_TRANSPORT_SOCKET_BUFFERS_H_

#include <string>
#include <vector>

namespace podsim {

// Gives this process's ends of connections to the Unix sockets at `paths` a
// send buffer that takes a whole frame. (When a write does not fit, gRPC goes
// on with it on a thread of its own: that costs more than the write. gRPC has
// no setting for it, so the sockets are found by their addresses.) Without the
// right to go beyond net.core.wmem_max the kernel gives as much as that allows.
// Returns how many sockets were found.
int WidenSendBuffers(const std::vector<std::string>& paths);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_SOCKET_BUFFERS_H_
