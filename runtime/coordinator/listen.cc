#include "runtime/coordinator/listen.h"

#include <grpc/grpc.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/rpc/address.h"
#include "base/rpc/credentials.h"
#include "base/rpc/deadline.h"
#include "base/status.h"
#include "base/stop_wait.h"
#include "runtime/coordinator/ports.h"

namespace podsim {
namespace {

// Whoever says nothing, or nothing more, is hung up on after this long: a host
// makes its call as soon as it is connected, and stays in it.
constexpr int kSilentMs = 5000;

// For gRPC to cancel calls after its deadline; then again and again.
constexpr absl::Duration kHangUpAfter = absl::Milliseconds(200);

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
                     ": its folder may not be written; give another folder, "
                     "as in unix:/tmp/pod.sock"));
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

// Whether the socket `fd` is a connection that was accepted at `address`.
bool IsCallerAt(int fd, const Address& address) {
  int listens = 0;
  socklen_t length = sizeof(listens);
  if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0 ||
      listens != 0)
    return false;
  sockaddr_storage name{};
  length = sizeof(name);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&name), &length) != 0)
    return false;
  if (name.ss_family == AF_UNIX)
    return address.path == reinterpret_cast<const sockaddr_un&>(name).sun_path;
  if (name.ss_family == AF_INET)
    return address.port ==
           ntohs(reinterpret_cast<const sockaddr_in&>(name).sin_port);
  return name.ss_family == AF_INET6 &&
         address.port ==
             ntohs(reinterpret_cast<const sockaddr_in6&>(name).sin6_port);
}

// On all who called at `address`, as gRPC does not say which sockets it has:
// what it writes fails from then on.
void HangUp(const Address& address) {
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc/self/fd", error), end;
       !error && it != end; it.increment(error)) {
    int fd = -1;
    if (absl::SimpleAtoi(it->path().filename().string(), &fd) &&
        IsCallerAt(fd, address))
      shutdown(fd, SHUT_RDWR);
  }
}

}  // namespace

void ShutDown(Listener& listener, absl::Duration farewell) {
  const absl::StatusOr<Address> address = ParseAddress(listener.address);
  PODSIM_CHECK(address.ok());
  const std::jthread cuts([&](const std::stop_token& stop) {
    auto wait = absl::ToChronoNanoseconds(farewell + kHangUpAfter);
    for (bool first = true; WaitUnlessStopped(stop, wait); first = false) {
      // gRPC polls for a write that is held up, ten seconds at a time, and its
      // own end, with the last who uses it, joins that thread: not then.
      if (first) grpc_init();
      HangUp(*address);
      wait = absl::ToChronoNanoseconds(kHangUpAfter);
    }
  });
  listener.server->Shutdown(DeadlineIn(farewell));
}

absl::StatusOr<Listener> Listen(const std::string& where,
                                const RpcSecurity& security,
                                const std::vector<grpc::Service*>& services,
                                Door::Refuse refuse, double share) {
  PODSIM_ASSIGN_OR_RETURN(Address address, ParseAddress(where));
  PODSIM_ASSIGN_OR_RETURN(auto credentials,
                          ServerCredentialsFor(where, security));
  // gRPC replaces the file of a Unix socket without asking; one that somebody
  // still listens on must stay theirs.
  if (address.is_unix()) PODSIM_RETURN_IF_ERROR(CheckUnixPlace(address));
  grpc::ServerBuilder builder;
  Configure(builder);
  for (grpc::Service* service : services) builder.RegisterService(service);
  return address.is_unix()
             ? ListenOnUnix(address, std::move(credentials), builder)
             : ListenOnTcp(address, std::move(credentials), builder,
                           std::move(refuse), share);
}

}  // namespace podsim
