// Which host's gradient is computed again by which others, and when. Pure.
//
// A wrong gradient that a host adds to the sum reaches all replicas alike, so
// that no comparison of sums or weights shows it. Others therefore compute it
// once more from the same rows and the same weights.
#ifndef PODSIM_JOB_AUDIT_PLAN_H_
#define PODSIM_JOB_AUDIT_PLAN_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "proto/job.pb.h"

namespace podsim {

// The host that is audited in `step`: each in turn, every audit_every steps.
std::optional<int> AuditedHost(const JobPlan& plan, std::int64_t step);

// Two others, so that three votes tell who computes wrongly; the first hosts of
// the next processes, whose memory and threads are not the audited one's. In a
// pod of one process other hosts of it; fewer where the pod has no more.
std::vector<int> AuditorsOf(const JobPlan& plan, int host);

}  // namespace podsim

#endif  // PODSIM_JOB_AUDIT_PLAN_H_
