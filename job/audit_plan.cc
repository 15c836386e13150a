#include "job/audit_plan.h"

#include "job/placement.h"

namespace podsim {
namespace {

constexpr int kAuditors = 2;

}  // namespace

std::optional<int> AuditedHost(const JobPlan& plan, std::int64_t step) {
  const std::int64_t every = plan.spec().audit_every();
  if (every <= 0 || step <= 0 || step % every != 0) return std::nullopt;
  return static_cast<int>((step / every - 1) % plan.bits().hosts());
}

std::vector<int> AuditorsOf(const JobPlan& plan, int host) {
  std::vector<int> auditors;
  const int hosts = plan.bits().hosts();
  const int processes = plan.spec().processes();
  if (processes == 1) {
    for (int i = 1; i < hosts && i <= kAuditors; ++i)
      auditors.push_back((host + i) % hosts);
    return auditors;
  }
  const int process = ProcessOf(plan, host);
  for (int i = 1; i < processes && i <= kAuditors; ++i)
    auditors.push_back(plan.first_host((process + i) % processes));
  return auditors;
}

}  // namespace podsim
