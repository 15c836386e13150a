// Which slices keep a deadline and a budget, in words. Pure.
#ifndef PODSIM_RUNTIME_PLAN_WHICH_TEXT_H_
#define PODSIM_RUNTIME_PLAN_WHICH_TEXT_H_

#include <string>
#include <vector>

#include "runtime/plan/which_slice.h"

namespace podsim {

// A sentence each: of a deadline the cheapest slice that keeps it, of a budget
// the fastest, of both the two, and what ties with them; or the one that comes
// nearest; then for each which figures move its low and high most. Empty: no
// limit is given.
std::vector<std::string> WhichSentences(const Ladder& ladder,
                                        const ChipHourPrices& prices,
                                        const WhichSlice& which);

// The same, and what low and high are, as lines that begin with "# ", of at
// most `columns`.
std::string FormatWhich(const Ladder& ladder, const ChipHourPrices& prices,
                        const WhichSlice& which, int columns);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_WHICH_TEXT_H_
