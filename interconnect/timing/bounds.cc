// Lower bounds of a collective's time; see pricing.h.
#include <algorithm>
#include <cmath>

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

int Longest(const Grid& grid) {
  int longest = 0;
  for (int axis = 1; axis < kMostAxes; ++axis)
    if (grid.length(axis) > grid.length(longest)) longest = axis;
  return longest;
}

// Links through the middle of the longest axis, one way.
int MiddleLinks(const Grid& grid) {
  const int axis = Longest(grid);
  return grid.chips() / grid.length(axis) * (grid.closes(axis) ? 2 : 1);
}

int Diameter(const Grid& grid) {
  int steps = 0;
  for (int axis = 0; axis < kMostAxes; ++axis)
    steps += grid.closes(axis) ? grid.length(axis) / 2 : grid.length(axis) - 1;
  return steps;
}

// Bytes out of each chip, and through the middle one way, as parts of the
// chip's buffer.
struct Volume {
  double chip = 0;
  double middle = 0;
};

Volume VolumeOf(Collective collective, const Grid& grid) {
  const double n = grid.chips();
  const int length = grid.length(Longest(grid));
  const int half = length / 2;
  const double low = n / length * half;
  const double high = n - low;
  switch (collective) {
    case Collective::kAllReduce:
      return {2 * (n - 1) / n, 1};
    case Collective::kReduceScatter:
    case Collective::kAllGather:
      return {(n - 1) / n, high / n};
    case Collective::kAllToAll:
      return {(n - 1) / n, low * high / n};
    case Collective::kBroadcast:
      return {1, 1};
    default:
      return {};
  }
}

}  // namespace

SimTime Bounds::most() const {
  return std::max({chip_links, bisection, distance});
}

Bounds BoundsOf(const Slice& slice, const PriceRequest& request) {
  const Grid grid = GridOf(slice);
  Bounds bounds;
  if (grid.chips() == 1) return bounds;
  const double bytes = static_cast<double>(ChipBytes(slice, request));
  const double rate = slice.chip().link_bytes_per_second;
  const Volume volume = VolumeOf(request.collective, grid);
  bounds.chip_links =
      SimTime::Seconds(bytes * volume.chip / (FewestLinks(grid) * rate));
  bounds.bisection =
      SimTime::Seconds(bytes * volume.middle / (MiddleLinks(grid) * rate));
  // Around a twisted torus no two chips are that far apart.
  if (!grid.twisted)
    bounds.distance =
        SimTime::Seconds(Diameter(grid) * slice.chip().hop_seconds);
  return bounds;
}

double AllReduceBandwidth(const Slice& slice) {
  return static_cast<double>(slice.chips) * slice.chip().links_per_chip *
         slice.chip().link_bytes_per_second;
}

double BisectionBandwidth(const Slice& slice) {
  return MiddleLinks(GridOf(slice)) * slice.chip().link_bytes_per_second;
}

}  // namespace podsim
