// Whether a pod may listen where it is asked to, looked at before a plan is
// printed or a process starts.
//
//   const AskedPorts asked = {.listen = "0.0.0.0:8476", .monitor = monitor,
//                             .hosts = 4};
//   PODSIM_RETURN_IF_ERROR(CheckPorts(asked));
//   PODSIM_RETURN_IF_ERROR(CheckPortsAreFree(asked));
#ifndef PODSIM_RUNTIME_COORDINATOR_PORTS_H_
#define PODSIM_RUNTIME_COORDINATOR_PORTS_H_

#include <string>

#include "absl/status/status.h"
#include "base/rpc/address.h"
#include "proto/programs.pb.h"

namespace podsim {

struct AskedPorts {
  std::string listen;  // the coordinator's; empty: a private address
  MonitorSettings monitor;
  int hosts = 1;
  bool allow_plaintext_network = false;
};

// That each of `hosts` has a port from `first` on. Errors: INVALID_ARGUMENT.
absl::Status CheckTpuPorts(int first, int hosts);

// That no port is asked for twice, and each of --tpu_metrics_port exists; that
// the page for Prometheus is at an address, encrypted or on this machine. Pure.
// Errors: INVALID_ARGUMENT, one line that names the flags.
absl::Status CheckPorts(const AskedPorts& asked);

// That a Unix socket can be made: its folder exists, and nothing but a socket
// that nobody listens on has its name. Errors: UNAVAILABLE.
absl::Status CheckUnixPlace(const Address& address);

// That this machine lets one listen at each of them now.
// Errors: INVALID_ARGUMENT, one line that names the flag and the address.
absl::Status CheckPortsAreFree(const AskedPorts& asked);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_PORTS_H_
