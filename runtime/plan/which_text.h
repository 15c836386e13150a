// Which slices keep a deadline and a budget, in words. Pure.
#ifndef PODSIM_RUNTIME_PLAN_WHICH_TEXT_H_
#define PODSIM_RUNTIME_PLAN_WHICH_TEXT_H_

#include <string>

#include "runtime/plan/which_slice.h"

namespace podsim {

// Lines that begin with "# ", of at most `columns`: of a deadline the cheapest
// slice that keeps it, of a budget the fastest, of both the two; or the one
// that comes nearest. Empty: no limit is given.
std::string FormatWhich(const Ladder& ladder, const ChipHourPrices& prices,
                        const WhichSlice& which, int columns);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_WHICH_TEXT_H_
