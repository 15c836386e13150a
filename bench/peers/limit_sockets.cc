#include "limit_sockets.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "options.h"

namespace podsim::peers {
namespace {

void SetOption(int socket, int level, int name, int value) {
  if (setsockopt(socket, level, name, &value, sizeof(value)) != 0) {
    DieOfErrno("setsockopt");
  }
}

// Set before a TCP connection is made: the window's scale is fixed by it.
void SetBuffers(int socket, std::size_t bytes) {
  if (bytes == 0) return;
  SetOption(socket, SOL_SOCKET, SO_SNDBUF, static_cast<int>(bytes));
  SetOption(socket, SOL_SOCKET, SO_RCVBUF, static_cast<int>(bytes));
}

int Listen(std::size_t buffer_bytes, sockaddr_in& address) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  SetBuffers(listener, buffer_bytes);
  address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, any, size) != 0 || listen(listener, 1) != 0 ||
      getsockname(listener, any, &size) != 0) {
    DieOfErrno("listening on loopback");
  }
  return listener;
}

std::pair<int, int> TcpPair(std::size_t buffer_bytes) {
  sockaddr_in address;
  const int listener = Listen(buffer_bytes, address);
  const int near = socket(AF_INET, SOCK_STREAM, 0);
  SetBuffers(near, buffer_bytes);
  if (connect(near, reinterpret_cast<sockaddr*>(&address), sizeof(address)) !=
      0) {
    DieOfErrno("connecting on loopback");
  }
  const int far = accept(listener, nullptr, nullptr);
  if (far < 0) DieOfErrno("accept");
  close(listener);
  SetOption(near, IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(far, IPPROTO_TCP, TCP_NODELAY, 1);
  return {near, far};
}

std::pair<int, int> UnixPair(std::size_t buffer_bytes) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) DieOfErrno("socketpair");
  SetBuffers(ends[0], buffer_bytes);
  SetBuffers(ends[1], buffer_bytes);
  return {ends[0], ends[1]};
}

}  // namespace

Mesh ConnectMesh(const std::string& kind, int ranks, std::size_t buffer_bytes) {
  if (kind != "unix" && kind != "tcp") {
    Die("--socket=" + kind + ": give unix or tcp");
  }
  Mesh mesh(ranks, std::vector<int>(ranks, -1));
  for (int a = 0; a < ranks; ++a) {
    for (int b = a + 1; b < ranks; ++b) {
      std::tie(mesh[a][b], mesh[b][a]) =
          kind == "unix" ? UnixPair(buffer_bytes) : TcpPair(buffer_bytes);
    }
  }
  return mesh;
}

std::vector<int> KeepOwn(const Mesh& mesh, int rank) {
  for (std::size_t other = 0; other < mesh.size(); ++other) {
    if (other == static_cast<std::size_t>(rank)) continue;
    for (const int socket : mesh[other]) {
      if (socket >= 0) close(socket);
    }
  }
  return mesh[rank];
}

}  // namespace podsim::peers
