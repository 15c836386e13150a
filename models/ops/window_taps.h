// How many of a window's taps are work: those that show an element of the
// operand, not padding and not a hole between dilated elements.
#ifndef PODSIM_MODELS_OPS_WINDOW_TAPS_H_
#define PODSIM_MODELS_OPS_WINDOW_TAPS_H_

#include <span>

#include "models/ops/window_dimension.h"

namespace podsim {

// Pairs of a place of the window and a tap that show an element there: those
// for which WindowDimension::At is not -1. Takes a step per tap or per place,
// whichever are fewer. Exact (below 2^53) up to 2^20 such steps; beyond them,
// where no machine could run the op, a step stands for its neighbours too.
// REQUIRES: is_valid, is_within_bounds.
double ShownTaps(const WindowDimension& window);

// Of a window that moves along several dimensions: the product, as a tap shows
// an element if it does so in each of them.
double ShownTaps(std::span<const WindowDimension> windows);

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_WINDOW_TAPS_H_
