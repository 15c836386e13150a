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
// the first two; and "says", the same in words.
//
// Of a result "seconds" and "chip_hours" are of the steps and their
// checkpoints, "run_seconds", "run_chip_hours" and, where prices are given,
// "price" of the whole run; low and high of the last three are those of
// RunSeconds. With a limit it has "deadline", "budget" or both: "meets", "may
// miss" or "misses". With a sharded update it has "sharded_update_saves", a
// share of "step_seconds_without_sharded_update". One beside which a run was
// measured has "measured": its "path" and "steps", "step_seconds_wall" and
// "examples_per_second_wall" of the machine that emulated it,
// "simulated_step_seconds", "loss" and "eval_loss" (null: not known);
// "measured_notes" is what the table says of such runs below it.
//
// A knee is "slice", and "slice_low" and "slice_high" if every efficiency were
// at its low, at its high. `explanation`: what FormatExplanationJson writes of
// the one row, which comes under "explain"; empty: none.
std::string FormatLadderJson(const Ladder& ladder, const LadderQuestion& asked,
                             const std::string& explanation = "");

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_LADDER_JSON_H_
