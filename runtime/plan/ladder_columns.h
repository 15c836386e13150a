// The columns of a ladder's table, and which of them a narrow screen leaves out
// first. Pure.
#ifndef PODSIM_RUNTIME_PLAN_LADDER_COLUMNS_H_
#define PODSIM_RUNTIME_PLAN_LADDER_COLUMNS_H_

#include "base/text_table.h"
#include "runtime/plan/ladder.h"
#include "runtime/plan/which_slice.h"

namespace podsim {

// A row for each slice that has a plan. "tokens/s" where examples are
// sequences; "price", of the whole run, with prices. With a limit, how each row
// stands to it, and low to high of the run and its price. With a measured run
// "step wall", of the machine that emulated it, and "sim of run", the step that
// it simulated itself; "-" where there is none.
TextTable LadderColumns(const Ladder& ladder, const LadderQuestion& asked);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_LADDER_COLUMNS_H_
