#include "interconnect/timing/network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"

namespace podsim {
namespace {

std::int32_t LinkOf(const Grid& grid, Coordinate from, int direction) {
  return kDirections * IndexOf(grid.size, from) + direction;
}

// The direction that leads from one chip to its neighbour; -1: none does.
int DirectionBetween(const Grid& grid, Coordinate from, Coordinate to) {
  for (int direction = 0; direction < kDirections; ++direction) {
    const auto next = Next(grid, from, direction);
    if (next && *next == to) return direction;
  }
  return -1;
}

bool IsInside(const Grid& grid, Coordinate at) {
  return at.x >= 0 && at.x < grid.size.x && at.y >= 0 && at.y < grid.size.y &&
         at.z >= 0 && at.z < grid.size.z;
}

Route StraightRoute(const Grid& grid, Coordinate from, Coordinate to) {
  Route route;
  route.steps = ShortestOffset(grid, from, to);
  for (int axis = 0; axis < kMostAxes; ++axis) {
    const int direction = DirectionOf(axis, route.steps[axis] > 0);
    for (int i = 0; i < std::abs(route.steps[axis]); ++i) {
      route.links.push_back(LinkOf(grid, from, direction));
      from = *Next(grid, from, direction);
    }
  }
  return route;
}

bool IsCut(const Network& network, std::int32_t link) {
  return RateOf(network, link) == 0;
}

// In the order in which a way round tries them: axis by axis, and along one
// that has ends first towards the farther one, so that a mesh's mirror images
// go round alike.
std::array<int, kDirections> DirectionsFrom(const Grid& grid,
                                            Coordinate start) {
  std::array<int, kDirections> directions = {};
  for (int axis = 0; axis < kMostAxes; ++axis) {
    const bool ahead =
        grid.closes(axis) || 2 * start.along(axis) < grid.length(axis);
    directions[2 * axis] = DirectionOf(axis, ahead);
    directions[2 * axis + 1] = DirectionOf(axis, !ahead);
  }
  return directions;
}

// Breadth first: the shortest way that is left.
absl::StatusOr<Route> RouteRound(const Network& network, Coordinate from,
                                 Coordinate to) {
  const Grid& grid = network.grid;
  std::vector<std::int32_t> came_by(grid.chips(), -1);
  std::vector<Coordinate> reached = {from};
  const auto directions = DirectionsFrom(grid, from);
  const int end = IndexOf(grid.size, to);
  for (std::size_t i = 0; i < reached.size() && came_by[end] < 0; ++i) {
    for (const int direction : directions) {
      const auto next = Next(grid, reached[i], direction);
      const std::int32_t link = LinkOf(grid, reached[i], direction);
      if (!next || *next == from || IsCut(network, link)) continue;
      std::int32_t& by = came_by[IndexOf(grid.size, *next)];
      if (by >= 0) continue;
      by = link;
      reached.push_back(*next);
    }
  }
  if (came_by[end] < 0)
    return absl::FailedPreconditionError(absl::StrCat(
        "no way is left from chip ", PlaceText(from, grid.size.z > 1), " to ",
        PlaceText(to, grid.size.z > 1), ": its wires are cut"));
  Route route;
  for (int at = end; at != IndexOf(grid.size, from);) {
    const std::int32_t link = came_by[at];
    route.links.push_back(link);
    route.steps[link % kDirections / 2] += link % 2 == 0 ? 1 : -1;
    at = link / kDirections;
  }
  std::reverse(route.links.begin(), route.links.end());
  return route;
}

// "chip (0,0) has wires to (1,0), (0,1)".
std::string WiresText(const Grid& grid, Coordinate from) {
  const bool three = grid.size.z > 1;
  if (!IsInside(grid, from))
    return absl::StrCat(
        "its chips are ", PlaceText({0, 0, 0}, three), " to ",
        PlaceText({grid.size.x - 1, grid.size.y - 1, grid.size.z - 1}, three));
  std::vector<std::string> wires;
  for (int direction = 0; direction < kDirections; ++direction)
    if (const auto next = Next(grid, from, direction)) {
      std::string place = PlaceText(*next, three);
      // An axis of two chips leads there both ways.
      if (std::find(wires.begin(), wires.end(), place) == wires.end())
        wires.push_back(std::move(place));
    }
  return absl::StrCat("chip ", PlaceText(from, three), " has wires to ",
                      absl::StrJoin(wires, ", "));
}

}  // namespace

Network NetworkOf(const Slice& slice) {
  const ChipFigures& chip = slice.chip();
  return {.grid = GridOf(slice),
          .links = {chip.link_bytes_per_second * chip.link_share,
                    SimTime::Seconds(chip.hop_seconds)},
          .faults = slice.link_faults};
}

absl::Status CheckNetwork(const Network& network) {
  if (!(network.links.bytes_per_second > 0) ||
      !std::isfinite(network.links.bytes_per_second))
    return absl::InvalidArgumentError(
        absl::StrCat("link rate of ", network.links.bytes_per_second,
                     " bytes/s: must be positive"));
  if (network.links.hop < SimTime::Picoseconds(1))
    return absl::InvalidArgumentError("a hop must take 1 ps or more");
  const Grid& grid = network.grid;
  for (const LinkFault& fault : network.faults) {
    const std::string name =
        absl::StrCat(PlaceText(fault.from, grid.size.z > 1), "-",
                     PlaceText(fault.to, grid.size.z > 1));
    if (!IsInside(grid, fault.from) || !IsInside(grid, fault.to) ||
        DirectionBetween(grid, fault.from, fault.to) < 0)
      return absl::InvalidArgumentError(absl::StrCat(
          "link ", name, ": no wire joins these chips in a grid of ",
          SizeText(grid.size), "; ", WiresText(grid, fault.from)));
    if (!(fault.rate >= 0 && fault.rate <= 1))
      return absl::InvalidArgumentError(
          absl::StrCat("link ", name, " at ", fault.rate,
                       " of its rate: must be 0 (cut) to 1"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Route> RouteBetween(const Network& network, int from, int to) {
  const Coordinate begin = PlaceOf(network.grid.size, from);
  const Coordinate end = PlaceOf(network.grid.size, to);
  Route route = StraightRoute(network.grid, begin, end);
  if (network.faults.empty()) return route;
  for (const std::int32_t link : route.links)
    if (IsCut(network, link)) return RouteRound(network, begin, end);
  return route;
}

double RateOf(const Network& network, std::int32_t link) {
  if (network.faults.empty()) return 1;
  const Grid& grid = network.grid;
  const Coordinate from = PlaceOf(grid.size, link / kDirections);
  const auto to = Next(grid, from, link % kDirections);
  double rate = 1;
  for (const LinkFault& fault : network.faults)
    if (to && ((fault.from == from && fault.to == *to) ||
               (fault.to == from && fault.from == *to)))
      rate = std::min(rate, fault.rate);
  return rate;
}

std::string LinkFaultText(const LinkFault& fault, bool three) {
  return absl::StrCat(
      "link ", PlaceText(fault.from, three), "-", PlaceText(fault.to, three),
      fault.rate == 0 ? " cut"
                      : absl::StrCat(" at ", fault.rate, " of its rate"));
}

std::string LinkFaultsText(const Slice& slice) {
  return absl::StrJoin(slice.link_faults, ", ",
                       [&](std::string* out, const LinkFault& fault) {
                         out->append(LinkFaultText(fault, slice.grid.z > 1));
                       });
}

std::string LinkText(const Grid& grid, std::int32_t link) {
  const Coordinate from = PlaceOf(grid.size, link / kDirections);
  const auto to = Next(grid, from, link % kDirections);
  const bool three = grid.size.z > 1;
  return absl::StrCat(PlaceText(from, three), "-",
                      to ? PlaceText(*to, three) : "edge");
}

}  // namespace podsim
