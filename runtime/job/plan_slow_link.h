// What the job's ici_fault means for the emulated pod: between which hosts the
// link lies, and whether frames of the run are slowed down for it. Pure.
#ifndef PODSIM_RUNTIME_JOB_PLAN_SLOW_LINK_H_
#define PODSIM_RUNTIME_JOB_PLAN_SLOW_LINK_H_

#include "absl/status/status.h"
#include "runtime/job/resolved_job.h"

namespace podsim {

// Fills the plan's slow_link, if the job's fault leaves less than the whole
// rate and its slice has the link. To be called when buckets and exchanges are
// planned. Errors: those of
// ParseIciFault and of LinesFrom (job/lines.h).
absl::Status FillSlowLink(const ResolvedJob& job, JobPlan& plan);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_PLAN_SLOW_LINK_H_
