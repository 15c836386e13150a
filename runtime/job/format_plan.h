// A plan as pod_launch prints it: what the slice is, what the job does on it,
// what scaling changed, notes and warnings.
#ifndef PODSIM_RUNTIME_JOB_FORMAT_PLAN_H_
#define PODSIM_RUNTIME_JOB_FORMAT_PLAN_H_

#include <string>

#include "base/text_layout.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"

namespace podsim {

// Lines of at most `width` columns where words allow, broken at spaces, a label
// before each group; ends with a newline. What the recipe decided is marked.
// The plan's hash is not part of it: it is printed once the pod has formed.
// `external_hosts`: they run on other machines. REQUIRES: `slice` is the
// plan's.
std::string FormatPlan(const JobPlan& plan, const Slice& slice,
                       int width = kTextColumns, bool external_hosts = false);

// Notes in `plan`, to be shown first, what was asked: the flags among what is
// set in `asked`, the request before any default.
void NoteAsked(const JobSpec& asked, JobPlan& plan);

// One such line: "start       m/100, step 100".
std::string FormatPlanLine(const std::string& label, const std::string& text,
                           int width = kTextColumns);

// Its last lines, of what may go wrong; empty: nothing to warn of.
std::string FormatWarnings(const JobPlan& plan, int width = kTextColumns);

// What the plan's processes talk over, in words: "shared memory".
std::string TransportText(const JobPlan& plan);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_FORMAT_PLAN_H_
