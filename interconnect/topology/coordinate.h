// Places in a grid of up to three axes, and its size. 2-D grids have z = 1.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_COORDINATE_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_COORDINATE_H_

#include <array>
#include <string>

namespace podsim {

inline constexpr int kMostAxes = 3;

// A place in the chip grid (or, where it says so, in the host grid).
struct Coordinate {
  int x = 0;
  int y = 0;
  int z = 0;
  bool operator==(const Coordinate&) const = default;

  int along(int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
  int& along(int axis) { return axis == 0 ? x : axis == 1 ? y : z; }
};

struct GridSize {
  int x = 1;
  int y = 1;
  int z = 1;
  bool operator==(const GridSize&) const = default;

  int places() const { return x * y * z; }
  std::array<int, kMostAxes> axes() const { return {x, y, z}; }
};

// Places are numbered row by row, then plane by plane: x + X (y + Y z).
// REQUIRES: the place is in the grid; 0 <= index < places.
int IndexOf(const GridSize& grid, Coordinate place);
Coordinate PlaceOf(const GridSize& grid, int index);

// "4x4", "4x4x8": z as far as there is one, or always.
std::string SizeText(const GridSize& grid, bool three = false);
// "(3,1)", "(3,1,0)".
std::string PlaceText(Coordinate place, bool three);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_COORDINATE_H_
