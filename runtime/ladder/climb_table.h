// A climbed ladder as text for people. Pure.
#ifndef PODSIM_RUNTIME_LADDER_CLIMB_TABLE_H_
#define PODSIM_RUNTIME_LADDER_CLIMB_TABLE_H_

#include <string>
#include <vector>

#include "base/text_layout.h"
#include "runtime/ladder/climb.h"

namespace podsim {

// A row for each rung that was judged, in lines of at most `columns`; all other
// lines begin with '#': what is compared above the table, below it the rung
// that failed, why, which number to change, and which slices were not run.
// On narrow screens columns are left out; kAllColumns: none.
std::string FormatClimb(const Climb& climb, int columns = kTextColumns);

// "v3-8 failed: ...; change ...", where the first rung failed and nothing can
// be compared; else empty.
std::string FirstFailedText(const Climb& climb);

// What is compared, the limits, and the slices that were not run: a sentence
// each, for a page.
std::vector<std::string> ClimbNotes(const Climb& climb);

// The table with all its columns, its head first, the verdict beside the slice;
// empty: no rung was judged.
std::vector<std::vector<std::string>> ClimbRows(const Climb& climb);

// "eval loss must be 0.1366 +- 0.0261: the mean of 3 seeds on v3-8, and 3
// standard deviations"; empty: the first rung has not passed.
std::string BandText(const Climb& climb);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LADDER_CLIMB_TABLE_H_
