// A ladder as JSON. Pure.
#ifndef PODSIM_RUNTIME_PLAN_LADDER_JSON_H_
#define PODSIM_RUNTIME_PLAN_LADDER_JSON_H_

#include <string>

#include "runtime/plan/ladder.h"
#include "runtime/plan/which_slice.h"

namespace podsim {

// One object: "results", a slice each, in bytes, seconds and FLOP; "knees"; and
// "which" where a limit is given: "cheapest", "fastest" and "nearest" (null:
// none), each with its run, its price, what of low to high keeps the limits and
// which figures move low and high of the run most; the names of what ties with
// the first two; and "says", the same in words. A result then has "deadline",
// "budget" or both: "meets", "may miss" or "misses". "seconds" and "chip_hours"
// are of the steps and their checkpoints, "run_seconds", "run_chip_hours" and
// "price" of the whole run, each with "_low" and "_high" but for the
// chip-hours: RunSeconds. "price" is that of the whole run's chip-hours, where
// prices are given. A result beside which a run was measured has "measured":
// its "path" and "steps", "step_seconds_wall" and "examples_per_second_wall" of
// the machine that emulated it, "simulated_step_seconds", "loss" and
// "eval_loss" (null: not known); "measured_notes" is what the table says of
// such runs below it. `explanation`: what FormatExplanationJson writes of the
// one row, which comes under "explain"; empty: none.
std::string FormatLadderJson(const Ladder& ladder, const LadderQuestion& asked,
                             const std::string& explanation = "");

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_LADDER_JSON_H_
