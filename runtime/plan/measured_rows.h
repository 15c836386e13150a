// Measured runs beside the rows that they are of. Pure.
#ifndef PODSIM_RUNTIME_PLAN_MEASURED_ROWS_H_
#define PODSIM_RUNTIME_PLAN_MEASURED_ROWS_H_

#include <optional>
#include <vector>

#include "runtime/plan/ladder.h"
#include "runtime/plan/measured_run.h"

namespace podsim {

// `ladder` with each run in the row whose slice and global batch it has; of
// several for one row the last counts. A sentence for each run that has no row,
// with the reason, for one whose simulated step is not the row's, and for lines
// of a file that were left out. REQUIRES: a row has a plan.
Ladder WithMeasured(Ladder ladder, const std::vector<MeasuredRun>& runs);

// Some row has a run.
bool HasMeasured(const Ladder& ladder);

// Seconds of the row's whole run if each step takes what the measured run
// simulated; nullopt: there is none, or it simulated none.
// REQUIRES: row.status.ok().
std::optional<double> MeasuredRunSeconds(const LadderRow& row);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_MEASURED_ROWS_H_
