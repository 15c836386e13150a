// A climbed ladder as a picture. Pure.
#ifndef PODSIM_RUNTIME_LADDER_CLIMB_PLOT_H_
#define PODSIM_RUNTIME_LADDER_CLIMB_PLOT_H_

#include <string>

#include "runtime/ladder/climb.h"

namespace podsim {

// An SVG of two panels over the chips of the slices, whose axis is logarithmic:
// above, the losses of all runs with the band that later rungs must keep,
// shaded; below, the scaling efficiency (sim) of all rungs, with a line at that
// of --until. The rung that failed has a marker of its own.
std::string PlotClimb(const Climb& climb);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LADDER_CLIMB_PLOT_H_
