// Warnings of a plan: one line each, with what they have in common on every
// slice. Pure.
#ifndef PODSIM_JOB_PLAN_WARNING_H_
#define PODSIM_JOB_PLAN_WARNING_H_

#include <string>
#include <vector>

#include "proto/job.pb.h"

namespace podsim {

// See PlanWarning.
void AddWarning(const std::string& kind, const std::string& text,
                JobPlan& plan);

// The kind of the warning that attention is planned otherwise than it is
// written.
inline constexpr char kAttentionWarning[] =
    "attention planned as a kernel of its own (if your code calls none: "
    "--attention=plain)";
bool HasWarning(const JobPlan& plan, const std::string& kind);

// The texts, in their order.
std::vector<std::string> WarningTexts(const JobPlan& plan);

// A warning without what explains it.
std::string BriefWarning(const PlanWarning& warning);

}  // namespace podsim

#endif  // PODSIM_JOB_PLAN_WARNING_H_
