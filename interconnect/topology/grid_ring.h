// A cycle through every place of a grid, one step at a time. Pure.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_GRID_RING_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_GRID_RING_H_

#include <vector>

#include "interconnect/topology/coordinate.h"

namespace podsim {

// All places of `grid`, each once, beginning at (0, 0, 0). Consecutive places
// are neighbours. So are the last and the first, if two sides are longer than
// one and one side is even (a cycle needs that: neighbours differ in the parity
// of x + y + z). Otherwise a snake, whose ends are far apart.
// REQUIRES: all sides are at least 1.
std::vector<Coordinate> GridRing(const GridSize& grid);

// The same as numbers of places.
std::vector<int> RingOf(const GridSize& grid);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_GRID_RING_H_
