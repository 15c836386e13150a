// The wires of a slice: a grid of chips, each with one link per direction to
// its neighbours, and the way that a frame takes through them. Pure functions.
#ifndef PODSIM_INTERCONNECT_TIMING_TORUS_H_
#define PODSIM_INTERCONNECT_TIMING_TORUS_H_

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "interconnect/topology/slice.h"

namespace podsim {

// Chips are numbered row by row: chip = y * grid.x + x.
struct TorusModel {
  GridSize grid;
  bool wrap_x = false;
  bool wrap_y = false;
  double link_bytes_per_second = 0;  // one direction of one link
  SimTime hop;                       // from the last bit sent to its arrival
  std::int64_t element_bytes = 4;    // gradients travel as float32

  int chips() const { return grid.x * grid.y; }
};

// The model of `slice` with the figures of its chip generation.
TorusModel TorusOf(const Slice& slice);

// A link is one direction of one wire: 4 * chip + direction, where the
// directions out of a chip are +x, -x, +y, -y.
inline constexpr int kLinksPerChip = 4;

// The links from one chip to another: first along x, then along y, each the
// shorter way round where the axis wraps (the positive way if both are equal).
// Empty if the chips are the same. REQUIRES: both are in the grid.
std::vector<int> RouteBetween(const TorusModel& torus, int from, int to);

// How long `elements` occupy one link.
SimTime TransmitTime(const TorusModel& torus, std::int64_t elements);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TIMING_TORUS_H_
