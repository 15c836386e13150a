// What this process may use of the machine: CPUs and memory, with the limits
// of a container taken into account.
#ifndef PODSIM_HOST_BOARD_CPU_SHARE_H_
#define PODSIM_HOST_BOARD_CPU_SHARE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace podsim {

// CPUs that count, of those in the affinity mask and the time quota (in CPUs,
// unset: none). A quota is rounded down, as a pod waits for the thread that is
// throttled; at least 1.
int AvailableCpus(int affinity, std::optional<double> quota);

// The same for this process, as of now.
int AvailableCpus();

// Threads for each of `processes` host processes on `cpus` CPUs: at least 1.
// REQUIRES: cpus >= 1, processes >= 1.
int FairShare(int cpus, int processes);

// MemAvailable of /proc/meminfo, in bytes.
// Errors: INVALID_ARGUMENT (no such line, or no number of kB).
absl::StatusOr<std::int64_t> ParseMemAvailable(const std::string& meminfo);

// Memory that this process can still have: what the machine has available, at
// most the control group's limit. Errors: INTERNAL (/proc/meminfo unreadable).
absl::StatusOr<std::int64_t> MachineMemoryBytes();

}  // namespace podsim

#endif  // PODSIM_HOST_BOARD_CPU_SHARE_H_
