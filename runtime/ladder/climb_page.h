// A climbed ladder as a page (runtime/report_page): what failed and the number
// to change, the table, the drawing, then its runs side by side.
#ifndef PODSIM_RUNTIME_LADDER_CLIMB_PAGE_H_
#define PODSIM_RUNTIME_LADDER_CLIMB_PAGE_H_

#include <string>
#include <utility>
#include <vector>

#include "host/storage/storage.h"
#include "runtime/ladder/climb.h"
#include "runtime/ladder/rung_files.h"
#include "runtime/report/run_records.h"

namespace podsim {

// A run with its name: "v3-32", of several of a slice "v3-8, seed 1".
using NamedRun = std::pair<std::string, RunRecords>;

// Those of the ladder whose metrics can be read: what was refused before its
// first step has none.
std::vector<NamedRun> RunsOfClimb(const Climb& climb, const RungFiles& files,
                                  ObjectStore& store);

// One file of HTML that loads nothing. Pure.
std::string ClimbPage(const Climb& climb, std::vector<NamedRun> runs);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LADDER_CLIMB_PAGE_H_
