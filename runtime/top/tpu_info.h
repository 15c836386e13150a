// Runs tpu-info, or another program that looks for TPUs, as on a host of the
// job: in a mount namespace whose /sys has the host's chips, in a network
// namespace whose port 8431 has what libtpu would tell of them, and, where that
// is allowed, in a PID namespace whose /proc has no process but its own. The
// program itself is unchanged.
#ifndef PODSIM_RUNTIME_TOP_TPU_INFO_H_
#define PODSIM_RUNTIME_TOP_TPU_INFO_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/monitor/job_state.h"

namespace podsim {

struct TpuInfoOptions {
  std::vector<std::string> command;  // found on PATH
  int host = 0;
  // How the job stands now; from threads of gRPC. Its plan is known.
  std::function<JobState()> state;
};

// Blocks until the command ends; what it ended with, 128 + N by signal N. The
// command is killed if this process ends before it.
// Errors: INVALID_ARGUMENT (no such host), NOT_FOUND (generation),
//   PERMISSION_DENIED (this process is not root's; says what to do),
//   UNAVAILABLE (port 8431), those of the system.
absl::StatusOr<int> RunTpuInfo(const TpuInfoOptions& options);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TOP_TPU_INFO_H_
