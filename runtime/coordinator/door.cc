#include "runtime/coordinator/door.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// Pods have up to 256 processes; each has one connection, for a moment two.
constexpr int kMost = 4096;
constexpr int kPauseMs = 100;

int MostDescriptors(double share) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<int>(
      std::min<double>(kMost, share * static_cast<double>(limit.rlim_cur)));
}

absl::Status CannotListen(const Address& address, const std::string& why) {
  return absl::UnavailableError(
      absl::StrCat("cannot listen on ", address.ToString(), ": ", why));
}

absl::StatusOr<Addresses> Resolve(const Address& address) {
  addrinfo wanted{};
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(),
                  &wanted, &found);
  if (error != 0)
    return CannotListen(
        address, absl::StrCat(gai_strerror(error),
                              "; give an address of this machine, or 0.0.0.0 "
                              "for all"));
  return Addresses(found, &freeaddrinfo);
}

void Switch(int fd, int level, int option, int value) {
  setsockopt(fd, level, option, &value, sizeof(value));
}

// errno says why not. Nobody can call what is only bound.
UniqueFd BindTo(const addrinfo& at) {
  UniqueFd fd(
      socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return fd;
  // A port whose last connections linger is free; one that is listened on not.
  Switch(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  Switch(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  if (at.ai_family == AF_INET6) Switch(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (bind(fd.get(), at.ai_addr, at.ai_addrlen) != 0) return UniqueFd();
  return fd;
}

// The same.
UniqueFd ListenOn(const addrinfo& at) {
  UniqueFd fd = BindTo(at);
  if (fd.valid() && listen(fd.get(), SOMAXCONN) != 0) return UniqueFd();
  return fd;
}

int PortOf(int fd) {
  sockaddr_storage bound{};
  socklen_t length = sizeof(bound);
  getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &length);
  return ntohs(bound.ss_family == AF_INET6
                   ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                   : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
}

// Why no address could be listened on, and what to do.
std::string WhyNot(int error) {
  if (error == EADDRINUSE)
    return "another program listens there; give another port";
  if (error == EACCES)
    return "ports below 1024 are for root; give one of 1024 to 65535";
  if (error == EADDRNOTAVAIL)
    return "it is no address of this machine; give one of its own, or 0.0.0.0 "
           "for all";
  return absl::StrCat(strerror(error), "; give another address or port");
}

}  // namespace

absl::Status CheckCanListen(const Address& address) {
  PODSIM_ASSIGN_OR_RETURN(const Addresses found, Resolve(address));
  for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next)
    if (BindTo(*at).valid()) return absl::OkStatus();
  return CannotListen(address, WhyNot(errno));
}

absl::StatusOr<std::unique_ptr<Door>> Door::Open(const Address& address,
                                                 Refuse refuse, double share) {
  PODSIM_ASSIGN_OR_RETURN(const Addresses found, Resolve(address));
  UniqueFd wake(eventfd(0, EFD_CLOEXEC));
  if (!wake.valid()) return CannotListen(address, strerror(errno));
  for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next) {
    UniqueFd listener = ListenOn(*at);
    if (!listener.valid()) continue;
    const int port = PortOf(listener.get());
    return std::unique_ptr<Door>(new Door(std::move(listener), std::move(wake),
                                          port, MostDescriptors(share),
                                          std::move(refuse)));
  }
  return CannotListen(address, WhyNot(errno));
}

Door::Door(UniqueFd listener, UniqueFd wake, int port, int most, Refuse refuse)
    : listener_(std::move(listener)),
      wake_(std::move(wake)),
      port_(port),
      most_(most),
      refuse_(std::move(refuse)) {}

Door::~Door() { eventfd_write(wake_.get(), 1); }

void Door::Serve(Take take) {
  thread_ = std::jthread([this, take = std::move(take)] {
    pollfd waits[] = {{.fd = listener_.get(), .events = POLLIN, .revents = 0},
                      {.fd = wake_.get(), .events = POLLIN, .revents = 0}};
    while ((waits[1].revents & POLLIN) == 0) {
      if (poll(waits, 2, /*timeout=*/-1) > 0) Accept(take);
    }
  });
}

// Descriptors are numbered from the lowest that is free: a high one says how
// many are in use.
void Door::Accept(const Take& take) {
  for (;;) {
    UniqueFd connection(accept4(listener_.get(), nullptr, nullptr,
                                SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection.valid()) {
      // It stays readable: not to turn in circles.
      if (errno == EMFILE || errno == ENFILE) poll(nullptr, 0, kPauseMs);
      return;
    }
    if (connection.get() < most_) {
      take(listener_.get(), connection.Release());
    } else {
      refuse_(absl::StrCat(
          "a connection, as ", most_,
          " descriptors are in use (ulimit -n), most of them by connections "
          "that are no host's: who opens so many?"));
    }
  }
}

}  // namespace podsim
