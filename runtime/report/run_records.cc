#include "runtime/report/run_records.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

// Files of before "first_host" was written: hosts are shared out evenly, the
// first processes have one more.
int FirstHost(const PlanRecord& plan, int process) {
  if (static_cast<std::size_t>(process) < plan.first_host.size())
    return plan.first_host[static_cast<std::size_t>(process)];
  if (!plan.first_host.empty() || plan.processes <= 0) return plan.hosts;
  const int each = plan.hosts / plan.processes;
  const int more = plan.hosts % plan.processes;
  return process * each + std::min(process, more);
}

}  // namespace

std::string HostsText(const PlanRecord& plan, int process) {
  const int first = FirstHost(plan, process);
  const int end = FirstHost(plan, process + 1);
  if (end - first <= 1) return absl::StrCat("host ", first);
  return absl::StrCat("hosts ", first, "-", end - 1);
}

int ProcessOfHost(const PlanRecord& plan, int host) {
  int process = 0;
  while (process + 1 < plan.processes && FirstHost(plan, process + 1) <= host)
    ++process;
  return process;
}

std::string SettingText(const PlanRecord& plan, const std::string& flag,
                        const std::string& otherwise) {
  const auto found = plan.settings.find(flag);
  return found == plan.settings.end() ? otherwise : found->second;
}

}  // namespace podsim
