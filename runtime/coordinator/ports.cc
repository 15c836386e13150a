#include "runtime/coordinator/ports.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/rpc/security.h"
#include "base/status.h"
#include "base/unique_fd.h"
#include "runtime/coordinator/door.h"

namespace podsim {
namespace {

constexpr int kMostPort = 65535;
constexpr char kThisMachine[] = "127.0.0.1";
constexpr char kPageFlag[] = "--metrics_port";
constexpr char kTpuFlag[] = "--tpu_metrics_port";
constexpr char kListenFlag[] = "--listen";

struct AskedPort {
  const char* flag;
  Address address;
  int host = -1;  // whose it is; -1: the coordinator's
};

std::string MetricsHost(const MonitorSettings& monitor) {
  return monitor.has_metrics_host() ? monitor.metrics_host() : kThisMachine;
}

// Those at which one listens over TCP; port 0 is any free one.
std::vector<AskedPort> PortsOf(const AskedPorts& asked) {
  std::vector<AskedPort> ports;
  const auto listen = ParseAddress(asked.listen);
  if (listen.ok() && !listen->is_unix())
    ports.push_back({kListenFlag, *listen});
  const MonitorSettings& monitor = asked.monitor;
  if (monitor.has_tpu_metrics_port())
    for (int host = 0; host < asked.hosts; ++host)
      ports.push_back({kTpuFlag,
                       {.path = {},
                        .host = kThisMachine,
                        .port = monitor.tpu_metrics_port() + host},
                       host});
  if (monitor.has_metrics_port())
    ports.push_back({kPageFlag,
                     {.path = {},
                      .host = MetricsHost(monitor),
                      .port = monitor.metrics_port()}});
  return ports;
}

bool IsEveryAddress(const Address& address) {
  return address.host == "0.0.0.0" || address.host == "::";
}

bool Collide(const Address& a, const Address& b) {
  if (a.port != b.port || a.port == 0) return false;
  if (a.host == b.host || IsEveryAddress(a) || IsEveryAddress(b)) return true;
  // 127.0.0.1 and ::1 may both have it; "localhost" may be either.
  const bool same_family = a.host.find(':') == a.host.npos
                               ? b.host.find(':') == b.host.npos
                               : b.host.find(':') != b.host.npos;
  return a.IsLocal() && b.IsLocal() &&
         (same_family || a.host == "localhost" || b.host == "localhost");
}

// "--tpu_metrics_port=8431 takes for host 2".
std::string TakenBy(const AskedPort& taken) {
  if (taken.flag == kListenFlag)
    return absl::StrCat(taken.flag, "=", taken.address.ToString(), " takes");
  const int first = taken.address.port - taken.host;
  return absl::StrCat(taken.flag, "=", first, " takes for host ", taken.host);
}

absl::Status CheckApartFrom(const AskedPort& before, const AskedPort& port) {
  if (!Collide(before.address, port.address)) return absl::OkStatus();
  if (port.flag == kPageFlag)
    return absl::InvalidArgumentError(absl::StrCat(
        port.flag, " is ", port.address.port, ", which ", TakenBy(before),
        "; give another port, or 0 for any free one"));
  return absl::InvalidArgumentError(absl::StrCat(
      port.flag, " is ", port.address.port - port.host, ", and host ",
      port.host, " would have port ", port.address.port, ", which ",
      TakenBy(before), "; give another port"));
}

absl::Status CheckPageAddress(const AskedPorts& asked) {
  if (!asked.monitor.has_metrics_port()) return absl::OkStatus();
  const Address page = {.path = {},
                        .host = MetricsHost(asked.monitor),
                        .port = asked.monitor.metrics_port()};
  // An IPv6 address has several colons.
  if (std::ranges::count(page.host, ':') == 1)
    return absl::InvalidArgumentError(
        absl::StrCat("--metrics_host is \"", PrintableLine(page.host),
                     "\", with a port; give the host alone, --metrics_host=",
                     PrintableLine(page.host.substr(0, page.host.find(':'))),
                     ", and the port as --metrics_port"));
  const absl::Status allowed = CheckPlaintextAllowed(
      page.ToString(),
      {.token = "", .allow_plaintext_network = asked.allow_plaintext_network});
  if (allowed.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--metrics_host: ", allowed.message()));
}

// False: nobody, or it cannot be told.
bool SomebodyListensOnUnix(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(name.sun_path, kMaxUnixPath);
  const UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return fd.valid() &&
         connect(fd.get(), reinterpret_cast<const sockaddr*>(&name),
                 sizeof(name)) == 0;
}

absl::Status CheckIsFree(const AskedPort& port) {
  const absl::Status can = CheckCanListen(port.address);
  if (can.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(port.flag, ": ", can.message()));
}

}  // namespace

absl::Status CheckTpuPorts(int first, int hosts) {
  if (first + hosts - 1 <= kMostPort) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(kTpuFlag, " is ", first, ", and each of ", hosts,
                   " hosts takes a port from there on; ", kMostPort + 1 - hosts,
                   " is the last that leaves room for them"));
}

absl::Status CheckPorts(const AskedPorts& asked) {
  if (asked.monitor.has_tpu_metrics_port())
    PODSIM_RETURN_IF_ERROR(
        CheckTpuPorts(asked.monitor.tpu_metrics_port(), asked.hosts));
  PODSIM_RETURN_IF_ERROR(CheckPageAddress(asked));
  const std::vector<AskedPort> ports = PortsOf(asked);
  // Hosts' ports differ from each other.
  for (std::size_t i = 0; i < ports.size(); ++i)
    for (std::size_t before = 0; before < i; ++before)
      if (ports[before].flag != ports[i].flag)
        PODSIM_RETURN_IF_ERROR(CheckApartFrom(ports[before], ports[i]));
  return absl::OkStatus();
}

absl::Status CheckUnixPlace(const Address& address) {
  const auto refused = [&address](const std::string& why) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", address.ToString(), ": ", why));
  };
  const std::filesystem::path path = address.path;
  std::error_code error;
  if (!std::filesystem::is_directory(path.parent_path(), error))
    return refused(absl::StrCat("there is no folder ",
                                path.parent_path().string(),
                                "; give a path in one that exists, as in "
                                "unix:/tmp/pod.sock"));
  const auto found = std::filesystem::status(path, error);
  if (!std::filesystem::exists(found)) return absl::OkStatus();
  if (!std::filesystem::is_socket(found))
    return refused("that is no socket; give a path that nothing has yet");
  if (SomebodyListensOnUnix(address.path))
    return refused(
        "another program does; give another path, or end that program");
  return absl::OkStatus();
}

absl::Status CheckPortsAreFree(const AskedPorts& asked) {
  const auto listen = ParseAddress(asked.listen);
  if (listen.ok() && listen->is_unix()) {
    const absl::Status place = CheckUnixPlace(*listen);
    if (!place.ok())
      return absl::InvalidArgumentError(
          absl::StrCat(kListenFlag, ": ", place.message()));
  }
  for (const AskedPort& port : PortsOf(asked))
    PODSIM_RETURN_IF_ERROR(CheckIsFree(port));
  return absl::OkStatus();
}

}  // namespace podsim
