#include "host/board/cgroup.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/log.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr char kNoLimit[] = "max";

absl::Status Malformed(const char* what, const std::string& text) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, " has \"", absl::StripAsciiWhitespace(text), "\""));
}

std::optional<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

template <typename T>
void Tighten(std::optional<T>& limit, const std::optional<T>& other) {
  if (other.has_value()) limit = std::min(limit.value_or(*other), *other);
}

template <typename T>
void TightenOrWarn(std::optional<T>& limit,
                   const absl::StatusOr<std::optional<T>>& parsed,
                   const std::string& directory) {
  if (parsed.ok()) {
    Tighten(limit, *parsed);
  } else {
    Log(LogLevel::kWarning, absl::StrCat("no limit taken from ", directory,
                                         ": ", parsed.status().message()));
  }
}

// One directory's files of either version; those it lacks are passed over.
CgroupLimits ReadGroup(const std::string& directory) {
  CgroupLimits limits;
  if (const auto text = ReadFile(directory + "/cpu.max")) {
    TightenOrWarn(limits.cpus, ParseCpuMax(*text), directory);
  }
  const auto quota = ReadFile(directory + "/cpu.cfs_quota_us");
  const auto period = ReadFile(directory + "/cpu.cfs_period_us");
  if (quota && period) {
    TightenOrWarn(limits.cpus, ParseCfsQuota(*quota, *period), directory);
  }
  for (const char* name : {"/memory.max", "/memory.limit_in_bytes"}) {
    if (const auto text = ReadFile(directory + name)) {
      TightenOrWarn(limits.memory_bytes, ParseMemoryLimit(*text), directory);
    }
  }
  return limits;
}

// Inside a container the group's path may be the host's, with only the root
// mounted: the directories that are missing set nothing and the root has the
// container's limits.
void TightenUpwards(CgroupLimits& limits, const std::string& mount,
                    std::optional<std::string> group) {
  for (; group.has_value(); group = ParentGroup(*group)) {
    const CgroupLimits own = ReadGroup(mount + *group);
    Tighten(limits.cpus, own.cpus);
    Tighten(limits.memory_bytes, own.memory_bytes);
  }
}

}  // namespace

absl::StatusOr<std::optional<double>> ParseCpuMax(const std::string& text) {
  const std::vector<std::string> words =
      absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  std::int64_t quota = 0, period = 0;
  if (words.size() != 2 || !absl::SimpleAtoi(words[1], &period) ||
      period <= 0) {
    return Malformed("cpu.max", text);
  }
  if (words[0] == kNoLimit) return std::nullopt;
  if (!absl::SimpleAtoi(words[0], &quota) || quota <= 0) {
    return Malformed("cpu.max", text);
  }
  return static_cast<double>(quota) / static_cast<double>(period);
}

absl::StatusOr<std::optional<double>> ParseCfsQuota(const std::string& quota,
                                                    const std::string& period) {
  std::int64_t quota_us = 0, period_us = 0;
  if (!absl::SimpleAtoi(quota, &quota_us) || quota_us == 0 || quota_us < -1) {
    return Malformed("cpu.cfs_quota_us", quota);
  }
  if (!absl::SimpleAtoi(period, &period_us) || period_us <= 0) {
    return Malformed("cpu.cfs_period_us", period);
  }
  if (quota_us == -1) return std::nullopt;
  return static_cast<double>(quota_us) / static_cast<double>(period_us);
}

absl::StatusOr<std::optional<std::int64_t>> ParseMemoryLimit(
    const std::string& text) {
  if (absl::StripAsciiWhitespace(text) == kNoLimit) return std::nullopt;
  std::int64_t bytes = 0;
  if (!absl::SimpleAtoi(text, &bytes) || bytes < 0) {
    return Malformed("the memory limit", text);
  }
  return bytes;
}

absl::StatusOr<CgroupPaths> ParseProcCgroup(const std::string& text) {
  CgroupPaths paths;
  for (const std::string& line : std::vector<std::string>(
           absl::StrSplit(text, '\n', absl::SkipEmpty()))) {
    // A path may have colons of its own.
    const std::vector<std::string> fields =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() != 3 || fields[2].empty() || fields[2][0] != '/') {
      return Malformed("/proc/self/cgroup", line);
    }
    if (fields[0] == "0" && fields[1].empty()) paths.v2 = fields[2];
    const std::vector<std::string> controllers = absl::StrSplit(fields[1], ',');
    for (const std::string& controller : controllers) {
      if (controller == "cpu") paths.v1_cpu = fields[2];
      if (controller == "memory") paths.v1_memory = fields[2];
    }
  }
  return paths;
}

std::optional<std::string> ParentGroup(const std::string& group) {
  if (group.empty() || group == "/") return std::nullopt;
  const std::size_t slash = group.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/"
                                                  : group.substr(0, slash);
}

CgroupLimits ReadCgroupLimits(const std::string& proc,
                              const std::string& root) {
  CgroupLimits limits;
  const auto text = ReadFile(proc + "/self/cgroup");
  if (!text) return limits;  // a kernel without control groups
  const auto paths = ParseProcCgroup(*text);
  if (!paths.ok()) {
    Log(LogLevel::kWarning,
        absl::StrCat("control groups are ignored: ", paths.status().message()));
    return limits;
  }
  TightenUpwards(limits, root, paths->v2);
  TightenUpwards(limits, root + "/cpu", paths->v1_cpu);
  TightenUpwards(limits, root + "/memory", paths->v1_memory);
  return limits;
}

}  // namespace podsim
