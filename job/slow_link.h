// What a plan's slow link does to its run. Pure.
#ifndef PODSIM_JOB_SLOW_LINK_H_
#define PODSIM_JOB_SLOW_LINK_H_

#include <string>
#include <vector>

#include "proto/job.pb.h"

namespace podsim {

// Whether frames of the run are slowed down, not the forecast alone.
bool SlowsRun(const JobPlan& plan);

// "link (1,0)-(2,0) at 0.25 of its rate: a MB between hosts 0 and 1 takes 3 ms
// longer, wall"; of the forecast alone: "link (0,0)-(1,0) at 0.25 of its rate
// slows the forecast alone: both chips are of host 0".
// REQUIRES: the plan has a slow link.
std::string SlowLinkText(const JobPlan& plan);

// The plan's warnings, and one more where a slow link does not slow down the
// run; a plan without a run (pod_plan) has nothing of it.
std::vector<PlanWarning> WarningsOfRun(const JobPlan& plan);

}  // namespace podsim

#endif  // PODSIM_JOB_SLOW_LINK_H_
