// What pod_host is told by flags and by the environment that TPU VMs and
// cluster launchers set.
#ifndef PODSIM_HOST_PROCESS_HOST_OPTIONS_H_
#define PODSIM_HOST_PROCESS_HOST_OPTIONS_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace podsim {

struct HostOptions {
  std::string coordinator;  // "unix:/..." or "host:port"
  int process = 0;          // index of this process in the pod
  std::string ici_listen;   // where to listen for frames
  // What peers are told; empty: the bound address, or on 0.0.0.0 this host's
  // name in TPU_WORKER_HOSTNAMES with the bound port.
  std::string ici_advertise;
  // Of TPU_ACCELERATOR_TYPE: the slice that this machine is part of; empty:
  // any.
  std::string accelerator_type;
  int threads = 0;  // 0: as the plan says
  bool allow_plaintext_network = false;
  std::string help;  // not empty: print it and exit
};

// The value of an environment variable, if set.
using Environment =
    std::function<std::optional<std::string>(const std::string& name)>;

// Arguments (without the program's name) before environment: every flag X also
// as PODSIM_X; the process index also from TPU_WORKER_ID, SLURM_PROCID,
// OMPI_COMM_WORLD_RANK and JOB_COMPLETION_INDEX, in this order. Pure.
// Errors: INVALID_ARGUMENT, one line.
absl::StatusOr<HostOptions> ParseHostOptions(std::vector<std::string> arguments,
                                             const Environment& environment);

// The address that peers reach `options` at, given the bound one and the
// worker host names (TPU_WORKER_HOSTNAMES, comma separated, may be empty).
std::string AdvertisedAddress(const HostOptions& options,
                              const std::string& bound,
                              const std::string& worker_hostnames);

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_HOST_OPTIONS_H_
