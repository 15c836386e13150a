// The environment that a TPU VM gives its processes, for a host of a slice: so
// that programs written for TPU VMs find here what they look for there. Pure.
//
//   for (const auto& [name, value] : HostEnvironment(slice, 2, {})) ...
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_ENVIRONMENT_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_ENVIRONMENT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "interconnect/topology/slice.h"

namespace podsim {

// First port of a TPU process [PTX], and torchrun's default for MASTER_PORT.
inline constexpr int kTpuProcessPort = 8476;
inline constexpr int kMasterPort = 29500;

struct HostAddresses {
  // One per host, in host order, without ports. Empty: "localhost" for a slice
  // of one host, "host-0", "host-1", ... for larger ones.
  std::vector<std::string> hostnames;
  // One per host; empty: kTpuProcessPort everywhere, as on separate machines.
  std::vector<int> ports;
  // Where torchrun-style programs meet; empty: the first host.
  std::string master_address;
  int master_port = kMasterPort;
};

// In the order in which a person reads it: type and grid, bounds, this host's
// place, then the names of other launchers (RANK, WORLD_SIZE, ...).
using Environment = std::vector<std::pair<std::string, std::string>>;

// Errors: INVALID_ARGUMENT (host outside the slice; as many names or ports as
// hosts are needed; a name that is empty or has a comma, a space or a port).
absl::StatusOr<Environment> HostEnvironment(const Slice& slice, int host,
                                            const HostAddresses& addresses);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_ENVIRONMENT_H_
