#include "interconnect/topology/group_slice.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

int RoundedUp(int count, int of) { return (count + of - 1) / of; }

// The first `count` places of a grid, whose last row and plane are filled up.
GridSize FirstOf(const GridSize& grid, int count) {
  const int x = std::min(count, grid.x);
  const int rows = RoundedUp(count, grid.x);
  const int y = std::min(rows, grid.y);
  return {x, y, RoundedUp(rows, grid.y)};
}

GridSize ChipsOf(const Slice& slice, int chips) {
  if (chips <= slice.chips_per_host()) return FirstOf(slice.board, chips);
  const GridSize hosts =
      FirstOf(slice.host_grid, RoundedUp(chips, slice.chips_per_host()));
  return {hosts.x * slice.board.x, hosts.y * slice.board.y,
          hosts.z * slice.board.z};
}

}  // namespace

Slice GroupOf(const Slice& slice, int replicas) {
  PODSIM_CHECK(replicas >= 0);
  if (replicas == 0 || replicas >= slice.replicas) return slice;
  Slice group = slice;
  group.name = absl::StrCat(replicas, " replicas of ", slice.name);
  group.grid =
      ChipsOf(slice, RoundedUp(replicas, slice.figures.replicas_per_chip));
  group.chips = group.grid.places();
  group.cores = group.chips * slice.figures.cores_per_chip;
  group.replicas = group.chips * slice.figures.replicas_per_chip;
  group.twisted = slice.twisted && group.grid == slice.grid;
  for (int axis = 0; axis < kMostAxes; ++axis)
    group.wraps[axis] =
        slice.wraps[axis] && group.grid.axes()[axis] == slice.grid.axes()[axis];
  const auto is_outside = [&](const Coordinate& place) {
    return place.x >= group.grid.x || place.y >= group.grid.y ||
           place.z >= group.grid.z;
  };
  std::erase_if(group.link_faults, [&](const LinkFault& fault) {
    return is_outside(fault.from) || is_outside(fault.to);
  });
  return group;
}

}  // namespace podsim
