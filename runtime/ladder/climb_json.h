// A climbed ladder as one JSON object, for programs. Pure.
#ifndef PODSIM_RUNTIME_LADDER_CLIMB_JSON_H_
#define PODSIM_RUNTIME_LADDER_CLIMB_JSON_H_

#include <string>

#include "runtime/ladder/climb.h"

namespace podsim {

// "job", "scaling" ("weak" or "strong"), "examples", "until_efficiency",
// "band" (null before the first rung has passed), "passed", "stopped_at",
// "reason", "change", and "rungs", of all slices: what is planned, with
// "verdict" ("not run" of those behind the one that failed) and "runs".
std::string FormatClimbJson(const Climb& climb);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LADDER_CLIMB_JSON_H_
