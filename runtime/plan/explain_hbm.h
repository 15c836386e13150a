// What fills a core's HBM in a training step, for people. Pure.
#ifndef PODSIM_RUNTIME_PLAN_EXPLAIN_HBM_H_
#define PODSIM_RUNTIME_PLAN_EXPLAIN_HBM_H_

#include <string>

#include "interconnect/topology/slice.h"
#include "runtime/plan/plan_explanation.h"

namespace podsim {

// Lines that begin with '#', of at most `columns`: HBM by class while it is
// fullest, the largest activations, and what is computed again.
std::string HbmText(const PlanExplanation& explained, int columns);

// The same of a step that is refused for want of HBM on `slice`, with a line
// that says what it is, and how much has no room.
std::string RefusedHbmText(const Slice& slice, const PlanExplanation& explained,
                           int columns);

// "one training step of 32 examples".
std::string PassText(const PlanExplanation& explained);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_EXPLAIN_HBM_H_
