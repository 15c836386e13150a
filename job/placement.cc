// Look-ups in JobPlan.first_host.
#include "job/placement.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace podsim {

absl::Status CheckPlacement(const JobPlan& plan) {
  const auto& first = plan.first_host();
  const int hosts = plan.bits().hosts();
  bool good = plan.spec().processes() >= 1 &&
              first.size() == plan.spec().processes() && first[0] == 0;
  for (int p = 0; good && p < plan.spec().processes(); ++p) {
    good = first[p] < (p + 1 < plan.spec().processes() ? first[p + 1] : hosts);
  }
  if (good) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(
      "the plan places ", hosts, " hosts on ", plan.spec().processes(),
      " processes wrongly (", first.size(), " ranges): a bug of the planner"));
}

HostRange HostsOf(const JobPlan& plan, int process) {
  const int end = process + 1 < plan.spec().processes()
                      ? plan.first_host(process + 1)
                      : plan.bits().hosts();
  return {.first = plan.first_host(process), .end = end};
}

int ProcessOf(const JobPlan& plan, int host) {
  const auto& first = plan.first_host();
  return static_cast<int>(std::upper_bound(first.begin(), first.end(), host) -
                          first.begin() - 1);
}

std::string DescribeHosts(HostRange hosts) {
  if (hosts.end - hosts.first == 1) return absl::StrCat("host ", hosts.first);
  return absl::StrCat("hosts ", hosts.first, "-", hosts.end - 1);
}

}  // namespace podsim
