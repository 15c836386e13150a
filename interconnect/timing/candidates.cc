#include "interconnect/timing/candidates.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace podsim {
namespace {

// Whole buffers that are long lose, and so do halves that are tiny: by how much
// either may be so before it is not tried.
constexpr std::int64_t kMargin = 16;

bool IsWorthTrying(const PriceRequest& request, int chips,
                   ChipAlgorithm algorithm, ChipForm form) {
  const bool is_short = form == ChipForm::kShort;
  const std::int64_t elements = request.bytes / request.element_bytes;
  switch (algorithm) {
    case ChipAlgorithm::kHalvingDoubling:
      return is_short ? elements <= kMargin * kRecursiveDoublingElements
                      : kMargin * elements >= kRecursiveDoublingElements;
    case ChipAlgorithm::kDirect:
      return !is_short || elements <= kMargin * kDirectOneStepElements / chips;
    default:
      return true;
  }
}

bool HasForm(const Slice& slice, const PriceRequest& request,
             ChipAlgorithm algorithm, ChipForm form) {
  const std::vector<ChipForm> forms = FormsOf(slice, request, algorithm);
  return std::find(forms.begin(), forms.end(), form) != forms.end();
}

// Everyone with everyone, as an exchange of so many bytes of each chip for each
// step.
SimTime LeastExchange(const Slice& slice, const PriceRequest& request,
                      std::int64_t chip_bytes, int steps) {
  PriceRequest exchange = request;
  exchange.collective = Collective::kAllToAll;
  exchange.bytes = chip_bytes / slice.chip().replicas_per_chip;
  const Bounds bounds = BoundsOf(slice, exchange);
  return std::max(
      {bounds.chip_links, bounds.bisection,
       SimTime::Picoseconds(steps * bounds.distance.picoseconds())});
}

SimTime LeastDirect(const Slice& slice, const PriceRequest& request) {
  const SimTime two = LeastExchange(slice, request, 2 * request.bytes, 2);
  if (!HasForm(slice, request, ChipAlgorithm::kDirect, ChipForm::kShort))
    return two;
  return std::min(
      two, LeastExchange(slice, request, slice.chips * request.bytes, 1));
}

// A piece goes once around all chips, or twice.
SimTime LeastRing(const Slice& slice, const PriceRequest& request) {
  const int rounds = request.collective == Collective::kAllReduce ? 2 : 1;
  return SimTime::Seconds(rounds * (slice.chips - 1) *
                          slice.chip().hop_seconds);
}

// The ways of all exchanges, one behind the other, from those who have the
// longest.
int HalvingHops(const Grid& grid, int power) {
  std::vector<int> hops(power, 0);  // until each chip is done with a step
  for (int distance = 1; distance < power; distance *= 2) {
    const std::vector<int> before = hops;
    for (int chip = 0; chip < power; ++chip) {
      const int partner = chip ^ distance;
      const Offset way = ShortestOffset(grid, PlaceOf(grid.size, partner),
                                        PlaceOf(grid.size, chip));
      hops[chip] = std::max(before[chip], before[partner] + Distance(way));
    }
  }
  return *std::max_element(hops.begin(), hops.end());
}

// Beside the ways: halves of what is left each time, once or twice, or the
// whole buffer each time.
SimTime LeastHalving(const Slice& slice, const PriceRequest& request) {
  if (request.collective == Collective::kBroadcast) return SimTime();
  const int power =
      static_cast<int>(std::bit_floor(static_cast<unsigned>(slice.chips)));
  const SimTime ways = SimTime::Seconds(HalvingHops(GridOf(slice), power) *
                                        slice.chip().hop_seconds);
  const auto with_bytes = [&](double buffers) {
    return ways +
           SimTime::Seconds(buffers * static_cast<double>(request.bytes) /
                            slice.chip().link_bytes_per_second);
  };
  const double halves = 1 - 1.0 / power;
  if (request.collective != Collective::kAllReduce) return with_bytes(halves);
  const SimTime twice = with_bytes(2 * halves);
  if (!HasForm(slice, request, ChipAlgorithm::kHalvingDoubling,
               ChipForm::kShort))
    return twice;
  return std::min(twice, with_bytes(std::log2(power)));
}

}  // namespace

std::vector<ChipForm> FormsOf(const Slice& slice, const PriceRequest& request,
                              ChipAlgorithm algorithm) {
  if (!HasShortForm(ChipPlanOf(slice, request, algorithm)))
    return {ChipForm::kLong};
  std::vector<ChipForm> forms;
  for (const ChipForm form : {ChipForm::kLong, ChipForm::kShort})
    if (IsWorthTrying(request, slice.chips, algorithm, form))
      forms.push_back(form);
  return forms;
}

bool IsSlower(const Slice& slice, const PriceRequest& request,
              ChipAlgorithm algorithm, SimTime network) {
  switch (algorithm) {
    case ChipAlgorithm::kDirect:
      return request.collective == Collective::kAllReduce &&
             LeastDirect(slice, request) > network;
    case ChipAlgorithm::kRing:
    case ChipAlgorithm::kBidirRing:
      return LeastRing(slice, request) > network;
    case ChipAlgorithm::kHalvingDoubling:
      return LeastHalving(slice, request) > network;
    default:
      return false;
  }
}

bool IsLong(const Slice& slice, const PriceRequest& request,
            ChipAlgorithm algorithm) {
  constexpr std::int64_t kManyMessages = std::int64_t{1} << 18;
  return SimulatedMessages(ChipPlanOf(slice, request, algorithm),
                           NetworkOf(slice)) > kManyMessages;
}

}  // namespace podsim
