#include "runtime/coordinator/listen.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/rpc/address.h"
#include "base/rpc/credentials.h"
#include "base/status.h"

namespace podsim {
namespace {

// gRPC replaces the file of a Unix socket without asking; one that somebody
// still listens on must stay theirs.
bool SomebodyListens(const Address& address) {
  if (!address.is_unix()) return false;
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  address.path.copy(name.sun_path, kMaxUnixPath);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool answers =
      connect(fd, reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0;
  close(fd);
  return answers;
}

}  // namespace

absl::StatusOr<Listener> Listen(const std::string& where,
                                const RpcSecurity& security,
                                grpc::Service& service) {
  PODSIM_ASSIGN_OR_RETURN(Address address, ParseAddress(where));
  PODSIM_ASSIGN_OR_RETURN(auto credentials,
                          ServerCredentialsFor(where, security));
  if (SomebodyListens(address)) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", where, ": another program does"));
  }
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address.ToString(), credentials, &port);
  builder.RegisterService(&service);
  // A port in use is refused, not shared with whoever has it.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // Hosts ping often, to notice a frozen coordinator; that is no abuse.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  // gRPC reports 1 as the port of a Unix socket, 0 when it could not listen.
  if (server == nullptr || port == 0) {
    return absl::UnavailableError(absl::StrCat(
        "cannot listen on ", where,
        ": in use, not an address of this machine, or no such directory"));
  }
  if (!address.is_unix()) address.port = port;
  return Listener{std::move(server), address.ToString()};
}

}  // namespace podsim
