// Two rings at once: one half of the buffer goes round with the ring order, the
// other half against it, so that both directions of every line are busy.
#include <algorithm>
#include <array>
#include <utility>

#include "interconnect/collectives/generators.h"
#include "interconnect/collectives/ring_steps.h"

namespace podsim {
namespace {

RingPlace PlaceInHalf(const PlanRequest& request, int rank, int half) {
  std::vector<int> members = request.ring;
  if (half == 1) std::reverse(members.begin(), members.end());
  const Range whole = SegmentOf(request.elements, 2, half);
  std::vector<Range> pieces;
  for (const int member : members) {
    pieces.push_back(SegmentIn(whole, WorldOf(request), member));
  }
  return PlaceInRing(std::move(members), std::move(pieces), rank);
}

}  // namespace

// Phase by phase: of two ranks both rings use the same pair, and the second
// must not queue behind the first.
RankPlan BidirRingAllReduce(const PlanRequest& request, int rank) {
  PlanBuilder builder = NewPlan(request, rank);
  const std::array<RingPlace, 2> places = {PlaceInHalf(request, rank, 0),
                                           PlaceInHalf(request, rank, 1)};
  std::vector<RingScatter> scatters;
  for (const RingPlace& place : places) {
    scatters.push_back(AppendRingScatter(builder, place));
  }
  for (int half = 0; half < 2; ++half) {
    AppendRingGather(builder, places[half], {{scatters[half].summed}},
                     scatters[half].sends);
  }
  return std::move(builder).Build();
}

}  // namespace podsim
