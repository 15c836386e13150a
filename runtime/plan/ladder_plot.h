// A ladder as a picture. Pure.
#ifndef PODSIM_RUNTIME_PLAN_LADDER_PLOT_H_
#define PODSIM_RUNTIME_PLAN_LADDER_PLOT_H_

#include <string>

#include "runtime/plan/ladder.h"

namespace podsim {

// An SVG of throughput over cores, both axes logarithmic: for each generation
// its points with their band, and dashed what the first one's would be on as
// many cores. Nothing of it needs a script or a font of its own.
std::string PlotLadder(const Ladder& ladder);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_LADDER_PLOT_H_
