// Lower bounds of a collective's time; see pricing.h.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "interconnect/timing/chip_bytes.h"
#include "interconnect/timing/pricing.h"

namespace podsim {
namespace {

int FewestLinks(const Grid& grid) {
  int links = 0;
  for (int axis = 0; axis < kMostAxes; ++axis)
    if (grid.length(axis) > 1) links += grid.closes(axis) ? 2 : 1;
  return links;
}

// Calls with both ends of every link.
template <typename WithEnds>
void ForEachLink(const Grid& grid, WithEnds&& with_ends) {
  for (int chip = 0; chip < grid.chips(); ++chip) {
    const Coordinate from = PlaceOf(grid.size, chip);
    for (int direction = 0; direction < kDirections; ++direction)
      if (const auto to = Next(grid, from, direction)) with_ends(from, *to);
  }
}

// The chips before the middle of an axis, and the links from there to the
// others.
struct Cut {
  double chips = 0;
  double links = 0;
};
Cut CutAcross(const Grid& grid, int axis) {
  const int half = grid.length(axis) / 2;
  Cut cut = {.chips = 1.0 * grid.chips() / grid.length(axis) * half};
  ForEachLink(grid, [&](Coordinate from, Coordinate to) {
    if (from.along(axis) < half && to.along(axis) >= half) ++cut.links;
  });
  return cut;
}

// From corner to corner, or from the root of a broadcast to whoever is
// farthest.
int MostHops(const Grid& grid, const PriceRequest& request) {
  const Coordinate root = PlaceOf(grid.size, request.root);
  int hops = 0;
  for (int axis = 0; axis < kMostAxes; ++axis) {
    const int last = grid.length(axis) - 1;
    if (grid.closes(axis))
      hops += grid.length(axis) / 2;
    else if (request.collective == Collective::kBroadcast)
      hops += std::max(root.along(axis), last - root.along(axis));
    else
      hops += last;
  }
  return hops;
}

// From one chip to another, on average over all pairs. The axes of a grid that
// is not twisted are independent; a twisted one looks the same from every chip.
double MeanDistance(const Grid& grid) {
  double sum = 0;
  if (grid.twisted) {
    for (int chip = 0; chip < grid.chips(); ++chip)
      sum += Distance(ShortestOffset(grid, {}, PlaceOf(grid.size, chip)));
    return sum / grid.chips();
  }
  for (int axis = 0; axis < kMostAxes; ++axis) {
    const int length = grid.length(axis);
    double of_axis = 0;
    for (int from = 0; from < length; ++from)
      for (int to = 0; to < length; ++to) {
        const int apart = std::abs(from - to);
        of_axis += grid.closes(axis) ? std::min(apart, length - apart) : apart;
      }
    sum += of_axis / length / length;
  }
  return sum;
}

// Bytes out of each chip, or into it, at the least, and over all links
// together, as parts of a chip's buffer.
struct Volume {
  double chip = 0;
  double all = 0;
};
Volume VolumeOf(Collective collective, const Grid& grid) {
  const double n = grid.chips();
  switch (collective) {
    case Collective::kAllReduce:
      return {1, 2 * (n - 1)};
    case Collective::kReduceScatter:
    case Collective::kAllGather:
      return {(n - 1) / n, n - 1};
    case Collective::kAllToAll:
      return {(n - 1) / n, n * MeanDistance(grid)};
    case Collective::kBroadcast:
      return {1, n - 1};
    default:
      return {};
  }
}

// The same across a cut, one way.
double CutVolume(Collective collective, const Grid& grid, const Cut& cut) {
  const double n = grid.chips();
  switch (collective) {
    case Collective::kAllReduce:
    case Collective::kBroadcast:
      return 1;
    case Collective::kReduceScatter:
    case Collective::kAllGather:
      return (n - cut.chips) / n;
    case Collective::kAllToAll:
      return cut.chips * (n - cut.chips) / n;
    default:
      return 0;
  }
}

}  // namespace

SimTime Bounds::most() const {
  return std::max({chip_links, bisection, distance});
}

Bounds BoundsOf(const Slice& slice, const PriceRequest& request) {
  const Grid grid = GridOf(slice);
  Bounds bounds;
  const bool nothing =
      request.bytes == 0 && request.collective != Collective::kBarrier;
  if (grid.chips() == 1 || nothing) return bounds;
  const double bytes = static_cast<double>(ChipBytes(slice, request));
  const double rate = slice.chip().link_bytes_per_second;
  double links = 0;
  ForEachLink(grid, [&](Coordinate, Coordinate) { ++links; });
  const Volume volume = VolumeOf(request.collective, grid);
  bounds.chip_links = SimTime::Seconds(
      bytes / rate *
      std::max(volume.chip / FewestLinks(grid), volume.all / links));
  for (int axis = 0; axis < kMostAxes; ++axis) {
    if (grid.length(axis) == 1) continue;
    const Cut cut = CutAcross(grid, axis);
    bounds.bisection = std::max(
        bounds.bisection,
        SimTime::Seconds(bytes * CutVolume(request.collective, grid, cut) /
                         (cut.links * rate)));
  }
  // Around a twisted torus no two chips are that far apart.
  if (!grid.twisted)
    bounds.distance =
        SimTime::Seconds(MostHops(grid, request) * slice.chip().hop_seconds);
  return bounds;
}

double AllReduceBandwidth(const Slice& slice) {
  return static_cast<double>(slice.chips) * slice.chip().links_per_chip *
         slice.chip().link_bytes_per_second;
}

double BisectionBandwidth(const Slice& slice) {
  const Grid grid = GridOf(slice);
  double links = 0;
  for (int axis = 0; axis < kMostAxes; ++axis) {
    if (grid.length(axis) == 1) continue;
    const double cut = CutAcross(grid, axis).links;
    links = links == 0 ? cut : std::min(links, cut);
  }
  return links * slice.chip().link_bytes_per_second;
}

}  // namespace podsim
