// What a chip does in a step, as JSON. Pure.
#ifndef PODSIM_RUNTIME_PLAN_EXPLAIN_JSON_H_
#define PODSIM_RUNTIME_PLAN_EXPLAIN_JSON_H_

#include <string>

#include "runtime/plan/plan_explanation.h"
#include "runtime/plan/planned_links.h"

namespace podsim {

// One object: "kernels" (all, in the order in which they run), "lines" (of the
// table, those that take most time first, with the places of their kernels),
// "totals", "hbm", and "update_parts": kernels of the update do one of so many
// parts of their work. "links": the messages and bytes of a step on each link
// that something crosses; null where they are not told, and "links_left_out"
// says why. Seconds, bytes and FLOPs as numbers; "source" is null where the
// model does not say it.
std::string FormatExplanationJson(const PlanExplanation& explained,
                                  const PlannedLinks& links);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_EXPLAIN_JSON_H_
