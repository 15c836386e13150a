#include "interconnect/topology/grid.h"

#include <algorithm>
#include <cstdlib>

#include "base/status.h"

namespace podsim {
namespace {

// Both ways round are equally long: which one is taken follows from the steps
// along the other axes, so that about as many take either.
bool TakesPositive(const Offset& ahead, int axis) {
  int others = 0;
  for (int other = 0; other < kMostAxes; ++other)
    if (other != axis) others += std::abs(ahead[other]) + (other > axis);
  return others % 2 == 0;
}

Offset Differences(Coordinate from, Coordinate to) {
  return {to.x - from.x, to.y - from.y, to.z - from.z};
}

Offset PlainOffset(const Grid& grid, Coordinate from, Coordinate to) {
  const Offset ahead = Differences(from, to);
  Offset steps = ahead;
  Offset upward = ahead;
  for (int axis = 0; axis < kMostAxes; ++axis)
    if (grid.closes(axis))
      upward[axis] = (ahead[axis] + grid.length(axis)) % grid.length(axis);
  for (int axis = 0; axis < kMostAxes; ++axis) {
    if (!grid.closes(axis)) continue;
    const int length = grid.length(axis);
    const int up = upward[axis];
    const bool positive =
        2 * up == length ? TakesPositive(upward, axis) : 2 * up < length;
    steps[axis] = positive ? up : up - length;
  }
  return steps;
}

// What leads around an axis and back to where it began, in plain steps.
Offset Around(const Grid& grid, int axis) {
  Offset steps = {};
  steps[axis] = grid.length(axis);
  if (!grid.is_short(axis)) return steps;
  for (int other = 0; other < kMostAxes; ++other)
    if (!grid.is_short(other)) steps[other] = grid.length(axis);
  return steps;
}

// All ways of the least length are tried; of several the first is taken, or the
// one that a number made of the relative place names.
Offset TwistedOffset(const Grid& grid, Coordinate from, Coordinate to) {
  constexpr int kRounds = 2;
  const Offset relative = Differences(from, to);
  const Offset around[] = {Around(grid, 0), Around(grid, 1), Around(grid, 2)};
  int least = 1 << 30;
  int equal = 0;
  std::array<Offset, 64> found;
  for (int i = -kRounds; i <= kRounds; ++i) {
    for (int j = -kRounds; j <= kRounds; ++j) {
      for (int k = -kRounds; k <= kRounds; ++k) {
        Offset way = relative;
        for (int axis = 0; axis < kMostAxes; ++axis)
          way[axis] +=
              i * around[0][axis] + j * around[1][axis] + k * around[2][axis];
        const int distance = Distance(way);
        if (distance > least) continue;
        if (distance < least) equal = 0;
        least = distance;
        if (equal < static_cast<int>(found.size())) found[equal++] = way;
      }
    }
  }
  // The set of ways is the same from every chip, its order is not.
  std::sort(found.begin(), found.begin() + equal);
  int name = 0;
  for (int axis = 0; axis < kMostAxes; ++axis)
    name += std::abs(found[0][axis]) + std::abs(found[equal - 1][axis]) * axis;
  return found[grid.spreads_ways ? name % equal : 0];
}

}  // namespace

Grid GridOf(const Slice& slice) {
  return {.size = slice.grid,
          .wraps = slice.wraps,
          .twisted = slice.twisted,
          .spreads_ways = slice.spreads_ways};
}

std::optional<Coordinate> Next(const Grid& grid, Coordinate from,
                               int direction) {
  const int axis = direction / 2;
  const int length = grid.length(axis);
  const int at = from.along(axis) + (direction % 2 == 0 ? 1 : -1);
  if (at >= 0 && at < length) {
    from.along(axis) = at;
    return from;
  }
  if (!grid.closes(axis)) return std::nullopt;
  from.along(axis) = (at + length) % length;
  if (!grid.is_short(axis)) return from;
  for (int other = 0; other < kMostAxes; ++other)
    if (!grid.is_short(other))
      from.along(other) = (from.along(other) + length) % grid.length(other);
  return from;
}

Coordinate Walk(const Grid& grid, Coordinate from, const Offset& steps) {
  for (int axis = 0; axis < kMostAxes; ++axis) {
    for (int i = 0; i < std::abs(steps[axis]); ++i) {
      const auto next = Next(grid, from, DirectionOf(axis, steps[axis] > 0));
      PODSIM_CHECK(next.has_value());
      from = *next;
    }
  }
  return from;
}

Offset ShortestOffset(const Grid& grid, Coordinate from, Coordinate to) {
  return grid.twisted ? TwistedOffset(grid, from, to)
                      : PlainOffset(grid, from, to);
}

int Distance(const Offset& offset) {
  return std::abs(offset[0]) + std::abs(offset[1]) + std::abs(offset[2]);
}

bool IsMesh(const Grid& grid) {
  return !grid.closes(0) && !grid.closes(1) && !grid.closes(2);
}

std::array<bool, kMostAxes> UpperHalves(const Grid& grid, Coordinate at) {
  std::array<bool, kMostAxes> upper = {};
  for (int axis = 0; axis < kMostAxes; ++axis)
    upper[axis] =
        grid.length(axis) % 2 == 0 && 2 * at.along(axis) >= grid.length(axis);
  return upper;
}

std::array<bool, kMostAxes> IsMirrored(const Grid& grid, Coordinate at) {
  if (!IsMesh(grid)) return {};
  return UpperHalves(grid, at);
}

Offset Mirrored(const std::array<bool, kMostAxes>& upper, Offset offset) {
  for (int axis = 0; axis < kMostAxes; ++axis)
    if (upper[axis]) offset[axis] = -offset[axis];
  return offset;
}

Coordinate Mirrored(const Grid& grid, const std::array<bool, kMostAxes>& upper,
                    Coordinate at) {
  return {upper[0] ? grid.size.x - 1 - at.x : at.x,
          upper[1] ? grid.size.y - 1 - at.y : at.y,
          upper[2] ? grid.size.z - 1 - at.z : at.z};
}

}  // namespace podsim
