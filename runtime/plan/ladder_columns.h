// The columns of a ladder's table, and which of them a narrow screen leaves out
// first. Pure.
#ifndef PODSIM_RUNTIME_PLAN_LADDER_COLUMNS_H_
#define PODSIM_RUNTIME_PLAN_LADDER_COLUMNS_H_

#include "base/text_table.h"
#include "runtime/plan/ladder.h"
#include "runtime/plan/run_cost.h"

namespace podsim {

// A row for each slice that has a plan. "tokens/s" where examples are
// sequences; "price", of the whole run, with prices.
TextTable LadderColumns(const Ladder& ladder, const ChipHourPrices& prices);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_LADDER_COLUMNS_H_
