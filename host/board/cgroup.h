// Limits that the kernel's control groups put on this process: parsers of file
// contents, and a reader of one tree of files. Other folders use cpu_share.h.
#ifndef PODSIM_HOST_BOARD_CGROUP_H_
#define PODSIM_HOST_BOARD_CGROUP_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace podsim {

// CPUs worth of time per period, from version 2's cpu.max: "150000 100000" is
// 1.5; "max 100000" is no limit.
absl::StatusOr<std::optional<double>> ParseCpuMax(const std::string& text);

// The same from version 1's cpu.cfs_quota_us (-1: no limit) and
// cpu.cfs_period_us.
absl::StatusOr<std::optional<double>> ParseCfsQuota(const std::string& quota,
                                                    const std::string& period);

// Bytes, from memory.max (version 2: "max" is no limit) or
// memory.limit_in_bytes (version 1: a huge number is as good as none).
absl::StatusOr<std::optional<std::int64_t>> ParseMemoryLimit(
    const std::string& text);

// Where this process is, from /proc/self/cgroup; unset where a controller is
// not mentioned.
struct CgroupPaths {
  std::optional<std::string> v2;         // "0::/a/b"
  std::optional<std::string> v1_cpu;     // "4:cpu,cpuacct:/a"
  std::optional<std::string> v1_memory;  // "7:memory:/a"
};
absl::StatusOr<CgroupPaths> ParseProcCgroup(const std::string& text);

// "/a/b" -> "/a" -> "/" -> unset.
std::optional<std::string> ParentGroup(const std::string& group);

struct CgroupLimits {
  std::optional<double> cpus;
  std::optional<std::int64_t> memory_bytes;
};

// The tightest limits on the way from this process's groups up to the root,
// under `proc` ("/proc") and `root` ("/sys/fs/cgroup"). Files that are not
// there set no limit; one that makes no sense is skipped with a warning, as a
// limit is advice here and no reason to stop.
CgroupLimits ReadCgroupLimits(const std::string& proc, const std::string& root);

}  // namespace podsim

#endif  // PODSIM_HOST_BOARD_CGROUP_H_
