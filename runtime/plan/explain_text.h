// What a chip does in a step, for people. Pure.
#ifndef PODSIM_RUNTIME_PLAN_EXPLAIN_TEXT_H_
#define PODSIM_RUNTIME_PLAN_EXPLAIN_TEXT_H_

#include <string>

#include "base/text_layout.h"
#include "runtime/plan/ladder.h"
#include "runtime/plan/plan_explanation.h"

namespace podsim {

// A row for each of the kernels that take most time (those that do the same
// share one), what all come to, HBM by class, and the plan's warnings. Each
// line but the rows begins with '#'. kAllColumns: every kernel and column.
// `ladder`: of one slice, whose row `explained` is of.
std::string FormatExplanation(const Ladder& ladder,
                              const PlanExplanation& explained,
                              int columns = kTextColumns);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_EXPLAIN_TEXT_H_
