// A ladder as a picture. Pure.
#ifndef PODSIM_RUNTIME_PLAN_LADDER_PLOT_H_
#define PODSIM_RUNTIME_PLAN_LADDER_PLOT_H_

#include <string>

#include "runtime/plan/ladder.h"

namespace podsim {

// An SVG of two panels over the chips of the slices, whose axis is logarithmic:
// above, how long the whole run takes (logarithmic), shaded from low to high;
// below, the scaling efficiency, with a line at that of the knee. Each
// generation has a colour, a marker and, at its end, its largest slice's name.
// A measured run is a ring at its slice: how long the whole run takes if each
// step is as the run simulated it; its wall time is shown where a pointer
// rests.
std::string PlotLadder(const Ladder& ladder);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_LADDER_PLOT_H_
