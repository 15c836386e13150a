// The wires between the chips of a slice: a mesh, a torus or a twisted torus of
// up to three axes. Pure.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_GRID_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_GRID_H_

#include <array>
#include <optional>

#include "interconnect/topology/coordinate.h"
#include "interconnect/topology/slice.h"

namespace podsim {

// Steps along the axes; negative ones take the same wire the other way.
using Offset = std::array<int, kMostAxes>;

struct Grid {
  GridSize size;
  std::array<bool, kMostAxes> wraps = {};
  // Around a short axis the way ends half of each long axis further: n x n x 2n
  // or n x 2n x 2n (Camara et al., IEEE TPDS 21(12), 2010).
  bool twisted = false;
  bool spreads_ways = true;  // as of the slice

  int chips() const { return size.places(); }
  int length(int axis) const { return size.axes()[axis]; }
  // Two chips share one wire, wrapped or not.
  bool closes(int axis) const { return wraps[axis] && length(axis) > 2; }
  // In a twisted grid: the axes whose own way round does not lead back.
  bool is_short(int axis) const {
    return twisted && 2 * length(axis) == size.z;
  }
};

Grid GridOf(const Slice& slice);

// A link is one direction of one wire: kDirections * chip + direction, where
// the directions out of a chip are +x, -x, +y, -y, +z, -z.
inline constexpr int kDirections = 2 * kMostAxes;
constexpr int DirectionOf(int axis, bool ahead) {
  return 2 * axis + (ahead ? 0 : 1);
}

// The next chip in a direction; none at the edge of a mesh.
std::optional<Coordinate> Next(const Grid& grid, Coordinate from,
                               int direction);

// Where `steps` lead, x first. REQUIRES: no edge is in the way.
Coordinate Walk(const Grid& grid, Coordinate from, const Offset& steps);

// The steps of a shortest way. Of several the choice depends on the relative
// place alone, and spreads ways over both directions.
Offset ShortestOffset(const Grid& grid, Coordinate from, Coordinate to);

int Distance(const Offset& offset);

// Along which axes of even length a chip is in the upper half.
std::array<bool, kMostAxes> UpperHalves(const Grid& grid, Coordinate at);
// The same in a mesh, whose halves mirror each other along each such axis; none
// where any axis wraps.
std::array<bool, kMostAxes> IsMirrored(const Grid& grid, Coordinate at);
bool IsMesh(const Grid& grid);
// An offset as the chip's mirror image in the lower halves sees it.
Offset Mirrored(const std::array<bool, kMostAxes>& upper, Offset offset);
Coordinate Mirrored(const Grid& grid, const std::array<bool, kMostAxes>& upper,
                    Coordinate at);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_GRID_H_
