// What a ladder's rows cannot say: slices without a plan or
// without the link that is at fault, and warnings. Pure.
#ifndef PODSIM_RUNTIME_PLAN_LADDER_TROUBLES_H_
#define PODSIM_RUNTIME_PLAN_LADDER_TROUBLES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/plan/ladder.h"

namespace podsim {

// Lines that begin with "# ", of at most `columns`: one for each kind of
// warning, with the slices that have it, one for those that --ici_fault does
// not concern, and one for the slices without a plan where they are many. With
// kAllColumns one for each slice and warning.
std::string FormatTroubles(const Ladder& ladder, int columns);

// Rows of the ladder by their indexes, ascending: "v3-8, v3-128 to v3-1024".
// Three or more neighbours of one generation are told as a range.
std::string SliceNamesText(const Ladder& ladder,
                           const std::vector<std::size_t>& rows);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_LADDER_TROUBLES_H_
