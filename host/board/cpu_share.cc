#include "host/board/cpu_share.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "base/units.h"
#include "host/board/cgroup.h"

namespace podsim {
namespace {

constexpr char kProc[] = "/proc";
constexpr char kCgroupRoot[] = "/sys/fs/cgroup";
constexpr char kMeminfo[] = "/proc/meminfo";

struct FreeCpuSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

// The kernel refuses a mask smaller than its own, so it grows until it fits.
int AffinityCpus() {
  for (int cpus = CPU_SETSIZE; cpus <= 1 << 20; cpus *= 2) {
    const std::unique_ptr<cpu_set_t, FreeCpuSet> set(CPU_ALLOC(cpus));
    const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
    if (set != nullptr && sched_getaffinity(0, bytes, set.get()) == 0) {
      return CPU_COUNT_S(bytes, set.get());
    }
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

int AvailableCpus(int affinity, std::optional<double> quota) {
  int cpus = affinity;
  if (quota.has_value() && *quota < cpus) {
    cpus = static_cast<int>(std::floor(*quota));
  }
  return std::max(cpus, 1);
}

int AvailableCpus() {
  return AvailableCpus(AffinityCpus(),
                       ReadCgroupLimits(kProc, kCgroupRoot).cpus);
}

int FairShare(int cpus, int processes) {
  PODSIM_CHECK(cpus >= 1 && processes >= 1);
  return std::max(1, cpus / processes);
}

absl::StatusOr<std::int64_t> ParseMemAvailable(const std::string& meminfo) {
  const std::vector<std::string> lines = absl::StrSplit(meminfo, '\n');
  for (const std::string& line : lines) {
    const std::vector<std::string> words =
        absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.empty() || words[0] != "MemAvailable:") continue;
    std::int64_t kib = 0;
    if (words.size() != 3 || words[2] != "kB" ||
        !absl::SimpleAtoi(words[1], &kib) || kib < 0 ||
        kib > std::numeric_limits<std::int64_t>::max() / kKiB) {
      return absl::InvalidArgumentError(
          absl::StrCat("meminfo has \"", line, "\"; a number of kB is wanted"));
    }
    return kib * kKiB;
  }
  return absl::InvalidArgumentError("meminfo has no MemAvailable line");
}

absl::StatusOr<std::int64_t> MachineMemoryBytes() {
  std::ifstream file(kMeminfo);
  if (!file) {
    return absl::InternalError(absl::StrCat("cannot open ", kMeminfo));
  }
  std::ostringstream text;
  text << file.rdbuf();
  const auto available = ParseMemAvailable(text.str());
  if (!available.ok()) {
    return absl::InternalError(absl::StrCat("cannot read ", kMeminfo, ": ",
                                            available.status().message()));
  }
  const auto limit = ReadCgroupLimits(kProc, kCgroupRoot).memory_bytes;
  return std::min(*available, limit.value_or(*available));
}

}  // namespace podsim
