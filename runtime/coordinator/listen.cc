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

// Whoever says nothing, or nothing more, is hung up on after this long: a host
// makes its call as soon as it is connected, and stays in it.
constexpr int kSilentMs = 5000;

void Configure(grpc::ServerBuilder& builder) {
  // A port in use is refused, not shared with whoever has it.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kSilentMs);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, kSilentMs);
}

// gRPC's own listening, in a directory that only this user can enter.
absl::StatusOr<Listener> ListenOnUnix(
    const Address& address,
    std::shared_ptr<grpc::ServerCredentials> credentials,
    grpc::ServerBuilder& builder) {
  int port = 0;
  builder.AddListeningPort(address.Target(), std::move(credentials), &port);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  // gRPC reports 1 as the port of a Unix socket, 0 when it could not listen.
  if (server == nullptr || port == 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", address.ToString(),
                     ": its folder is not there, or may not be written; give a "
                     "folder that exists, as in unix:/tmp/pod.sock"));
  }
  return Listener{.server = std::move(server), .address = address.ToString()};
}

absl::StatusOr<Listener> ListenOnTcp(
    Address address, std::shared_ptr<grpc::ServerCredentials> credentials,
    grpc::ServerBuilder& builder, Door::Refuse refuse, double share) {
  Listener listener;
  PODSIM_ASSIGN_OR_RETURN(listener.door,
                          Door::Open(address, std::move(refuse), share));
  listener.acceptor = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
      std::move(credentials));
  listener.server = builder.BuildAndStart();
  if (listener.server == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("cannot serve at ", address.ToString()));
  }
  listener.door->Serve([acceptor = listener.acceptor.get()](int at, int fd) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters
        connection;
    connection.listener_fd = at;
    connection.fd = fd;
    acceptor->HandleNewConnection(&connection);
  });
  address.port = listener.door->port();
  listener.address = address.ToString();
  return listener;
}

}  // namespace

absl::StatusOr<Listener> Listen(const std::string& where,
                                const RpcSecurity& security,
                                const std::vector<grpc::Service*>& services,
                                Door::Refuse refuse, double share) {
  PODSIM_ASSIGN_OR_RETURN(Address address, ParseAddress(where));
  PODSIM_ASSIGN_OR_RETURN(auto credentials,
                          ServerCredentialsFor(where, security));
  if (SomebodyListens(address)) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", where,
                     ": another program does; give another path, or end that "
                     "program"));
  }
  grpc::ServerBuilder builder;
  Configure(builder);
  for (grpc::Service* service : services) builder.RegisterService(service);
  return address.is_unix()
             ? ListenOnUnix(address, std::move(credentials), builder)
             : ListenOnTcp(address, std::move(credentials), builder,
                           std::move(refuse), share);
}

}  // namespace podsim
