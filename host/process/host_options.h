// What pod_host is told by flags and by the environment that TPU VMs and
// cluster launchers set.
#ifndef PODSIM_HOST_PROCESS_HOST_OPTIONS_H_
#define PODSIM_HOST_PROCESS_HOST_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/programs.pb.h"
#include "settings/environment.h"

namespace podsim {

struct HostOptions {
  HostSettings settings;  // defaults filled in
  // Of TPU_ACCELERATOR_TYPE: the slice that this machine is part of; empty:
  // any.
  std::string accelerator_type;
  std::string text;  // not empty: print it and exit
};

// Arguments (without the program's name) before environment; the process index
// also from TPU_WORKER_ID, SLURM_PROCID, OMPI_COMM_WORLD_RANK and
// JOB_COMPLETION_INDEX, in this order. Pure.
// Errors: INVALID_ARGUMENT, one line.
absl::StatusOr<HostOptions> ParseHostOptions(
    const std::vector<std::string>& arguments, const Variables& variables);

// The address that peers reach the process at, given the bound one and the
// worker host names (TPU_WORKER_HOSTNAMES, comma separated, may be empty).
std::string AdvertisedAddress(const HostSettings& settings,
                              const std::string& bound,
                              const std::string& worker_hostnames);

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_HOST_OPTIONS_H_
