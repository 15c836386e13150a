// Who came last in a step, and what that cost the others. Clocks of hosts on
// different machines cannot be compared, durations can: all leave an all-reduce
// together, so who then takes longest to begin the next comes last; in the
// first step, before which there was none, who stands in its own shortest.
// Pure.
#ifndef PODSIM_RUNTIME_COORDINATOR_MERGE_TIMES_H_
#define PODSIM_RUNTIME_COORDINATOR_MERGE_TIMES_H_

#include <map>

#include "proto/coordinator.pb.h"
#include "proto/event.pb.h"
#include "proto/job.pb.h"

namespace podsim {

// Sets the step's time and phases, which are those of the process that came
// last, and what each process did meanwhile. Where nobody can be told to have
// come last (a pod of one process), they are those of the process whose step
// was longest.
// REQUIRES: a report of every host of the plan, by host.
void MergeTimes(const JobPlan& plan, const std::map<int, StepReport>& reports,
                StepDone& done);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_MERGE_TIMES_H_
