#include "interconnect/timing/torus.h"

#include "base/status.h"

namespace podsim {
namespace {

// Signed number of steps from `from` to `to` on an axis of `length`.
int StepsAlong(int from, int to, int length, bool wrap) {
  const int ahead = to - from;
  if (!wrap) return ahead;
  const int up = (ahead + length) % length;
  return 2 * up <= length ? up : up - length;
}

}  // namespace

TorusModel TorusOf(const Slice& slice) {
  const ChipFigures& chip = slice.chip();
  return {.grid = slice.grid,
          .wrap_x = slice.wraps[0],
          .wrap_y = slice.wraps[1],
          .link_bytes_per_second = chip.link_bytes_per_second,
          .hop = SimTime::Seconds(chip.hop_seconds)};
}

std::vector<int> RouteBetween(const TorusModel& torus, int from, int to) {
  PODSIM_CHECK(from >= 0 && from < torus.chips());
  PODSIM_CHECK(to >= 0 && to < torus.chips());
  std::vector<int> route;
  const int width = torus.grid.x;
  int x = from % width;
  int y = from / width;
  const auto walk = [&](int& at, int steps, int length, int plus, int minus) {
    for (; steps != 0; steps += steps > 0 ? -1 : 1) {
      route.push_back(kLinksPerChip * (y * width + x) +
                      (steps > 0 ? plus : minus));
      at = (at + (steps > 0 ? 1 : length - 1)) % length;
    }
  };
  walk(x, StepsAlong(x, to % width, width, torus.wrap_x), width, 0, 1);
  walk(y, StepsAlong(y, to / width, torus.grid.y, torus.wrap_y), torus.grid.y,
       2, 3);
  return route;
}

SimTime TransmitTime(const TorusModel& torus, std::int64_t elements) {
  return SimTime::Seconds(static_cast<double>(elements * torus.element_bytes) /
                          torus.link_bytes_per_second);
}

}  // namespace podsim
