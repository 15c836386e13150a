#include "host/process/coordinator_address.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/rpc/address.h"
#include "base/rpc/security.h"
#include "base/status.h"
#include "base/unique_fd.h"

namespace podsim {
namespace {

constexpr int kConnectMilliseconds = 500;
constexpr char kNobodyListens[] = "nobody listens there";

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

struct LookUp {
  int error = 0;  // of getaddrinfo
  AddressList found{nullptr, &freeaddrinfo};
};

LookUp Look(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  LookUp look;
  look.error = getaddrinfo(address.host.c_str(),
                           absl::StrCat(address.port).c_str(), &hints, &found);
  if (look.error == 0) look.found.reset(found);
  return look;
}

absl::Status CheckAddress(const char* flag, const std::string& text,
                          const RpcSecurity& security) {
  return Annotate(CheckPlaintextAllowed(text, security), flag);
}

// An address to listen at all of a machine's, or at a port that is chosen then.
absl::Status CheckCanBeCalled(const char* flag, const std::string& text,
                              const char* whose) {
  PODSIM_ASSIGN_OR_RETURN(const Address address, ParseAddress(text));
  if (address.is_unix()) return absl::OkStatus();
  const bool everywhere = address.host == "0.0.0.0" || address.host == "::";
  if (!everywhere && address.port != 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      flag, " is \"", text,
      "\", which is an address to listen at, "
      "not to call; give the ",
      everywhere ? absl::StrCat("name or number of ", whose, "'s machine")
                 : absl::StrCat("port that ", whose, " says it listens at"),
      ", such as ",
      everywhere
          ? absl::StrCat("10.0.0.1:", address.port == 0 ? 8476 : address.port)
          : absl::StrCat(address.host, ":8476")));
}

absl::Status CheckResolves(const std::string& coordinator) {
  PODSIM_ASSIGN_OR_RETURN(const Address address, ParseAddress(coordinator));
  if (address.is_unix()) return absl::OkStatus();
  if (Look(address).error != EAI_NONAME) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--coordinator is \"", coordinator, "\", but the host name ",
      address.host,
      " does not resolve; give a name that this machine knows, or a number "
      "such as 10.0.0.1:8476"));
}

std::string WhyOfErrno(int error, bool is_unix) {
  if (error == 0) return "something listens there, but is no coordinator yet";
  if (error == ENOENT && is_unix) return "there is no such socket";
  if (error == ECONNREFUSED) return kNobodyListens;
  return std::generic_category().message(error);
}

// The error of a connection, 0 if there is one.
int ConnectErrorOf(int family, const sockaddr* to, socklen_t size) {
  const UniqueFd fd(
      socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (fd.get() < 0) return errno;
  if (connect(fd.get(), to, size) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd wait{.fd = fd.get(), .events = POLLOUT, .revents = 0};
  if (poll(&wait, 1, kConnectMilliseconds) != 1) return ETIMEDOUT;
  int error = 0;
  socklen_t length = sizeof(error);
  if (getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length) != 0)
    return errno;
  return error;
}

int UnixErrorOf(const std::string& path) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, path.data(), path.size());
  return ConnectErrorOf(AF_UNIX, reinterpret_cast<const sockaddr*>(&to),
                        sizeof(to));
}

}  // namespace

absl::Status CheckHostAddresses(const HostSettings& settings) {
  const RpcSecurity security = {
      .token = {},
      .allow_plaintext_network = settings.allow_plaintext_network()};
  PODSIM_RETURN_IF_ERROR(
      Annotate(ParseAddress(settings.coordinator()).status(), "--coordinator"));
  PODSIM_RETURN_IF_ERROR(CheckCanBeCalled(
      "--coordinator", settings.coordinator(), "the coordinator"));
  PODSIM_RETURN_IF_ERROR(
      CheckAddress("--coordinator", settings.coordinator(), security));
  PODSIM_RETURN_IF_ERROR(
      CheckAddress("--ici_listen", settings.ici_listen(), security));
  if (settings.has_ici_advertise()) {
    PODSIM_RETURN_IF_ERROR(Annotate(
        ParseAddress(settings.ici_advertise()).status(), "--ici_advertise"));
    PODSIM_RETURN_IF_ERROR(CheckCanBeCalled(
        "--ici_advertise", settings.ici_advertise(), "this host"));
  }
  return CheckResolves(settings.coordinator());
}

absl::Status CheckSomebodyListens(const std::string& address) {
  PODSIM_ASSIGN_OR_RETURN(const Address parsed, ParseAddress(address));
  if (parsed.is_unix()) {
    const int error = UnixErrorOf(parsed.path);
    return error == ECONNREFUSED || error == ENOENT
               ? absl::NotFoundError(WhyOfErrno(error, /*is_unix=*/true))
               : absl::OkStatus();
  }
  const LookUp look = Look(parsed);
  if (look.error == EAI_NONAME)
    return absl::NotFoundError(
        absl::StrCat("the name ", parsed.host, " is not found"));
  // localhost has several.
  for (const addrinfo* at = look.found.get(); at != nullptr; at = at->ai_next)
    if (ConnectErrorOf(at->ai_family, at->ai_addr, at->ai_addrlen) !=
        ECONNREFUSED)
      return absl::OkStatus();
  return look.error == 0 ? absl::NotFoundError(kNobodyListens)
                         : absl::OkStatus();
}

std::string WhyNoAnswer(const std::string& address) {
  const auto parsed = ParseAddress(address);
  if (!parsed.ok()) return std::string(parsed.status().message());
  if (parsed->is_unix())
    return WhyOfErrno(UnixErrorOf(parsed->path), /*is_unix=*/true);
  const LookUp look = Look(*parsed);
  if (look.error != 0)
    return absl::StrCat("the name ", parsed->host,
                        " is not found: ", gai_strerror(look.error));
  return WhyOfErrno(ConnectErrorOf(look.found->ai_family, look.found->ai_addr,
                                   look.found->ai_addrlen),
                    /*is_unix=*/false);
}

}  // namespace podsim
