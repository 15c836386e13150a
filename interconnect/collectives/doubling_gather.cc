// All-gather by recursive doubling with partners at distance 1, 2, 4, ...:
// before the step at distance d a rank has the segments of its block of d
// ranks, and of their extras, and exchanges them for those of its partner's.
// Extras hand their segment to their proxy first and get the rest last.
#include <algorithm>
#include <array>
#include <utility>

#include "interconnect/collectives/generators.h"
#include "interconnect/collectives/halving_steps.h"

namespace podsim {
namespace {

// The elements of the segments [first, first + count), cut off at W.
Range SegmentsFrom(const PlanRequest& request, int first, int count) {
  const int world = WorldOf(request);
  if (first >= world) return {};
  const int last = std::min(first + count, world) - 1;
  const Range begin = SegmentOf(request.elements, world, first);
  const Range end = SegmentOf(request.elements, world, last);
  return {begin.begin, end.begin + end.count - begin.begin};
}

// What the block of `distance` ranks around `rank` has: their own segments, and
// those of their extras.
std::array<Range, 2> BlockAround(const PlanRequest& request,
                                 const HalvingWorld& world, int rank,
                                 int distance) {
  const int first = rank - rank % distance;
  return {SegmentsFrom(request, first, distance),
          SegmentsFrom(request, world.power() + first, distance)};
}

// All but `own`.
std::array<Range, 2> Others(const PlanRequest& request, const Range& own) {
  const std::int64_t end = own.begin + own.count;
  return {Range{0, own.begin}, Range{end, request.elements - end}};
}

void AppendExtra(PlanBuilder& builder, const PlanRequest& request, int proxy,
                 const Range& own) {
  builder.SendShared(proxy, own);
  for (const Range& range : Others(request, own)) {
    builder.ReceiveCopy(proxy, range);
  }
}

}  // namespace

RankPlan DoublingAllGather(const PlanRequest& request, int rank) {
  PlanBuilder builder = NewPlan(request, rank);
  const HalvingWorld world(WorldOf(request));
  const auto segment = [&](int of) {
    return SegmentOf(request.elements, WorldOf(request), of);
  };
  if (world.IsExtra(rank)) {
    AppendExtra(builder, request, world.ProxyOf(rank), segment(rank));
    return std::move(builder).Build();
  }
  // Receives first, so that they stand together: a send may need several.
  Cut folded;
  if (world.HasExtra(rank)) {
    const int extra = world.ExtraOf(rank);
    folded = builder.ReceiveCopy(extra, segment(extra));
  }
  std::vector<Cut> received;
  for (int distance = 1; distance < world.power(); distance *= 2) {
    const int partner = rank ^ distance;
    for (const Range& range : BlockAround(request, world, partner, distance)) {
      received.push_back(builder.ReceiveCopy(partner, range));
    }
  }
  Waits ready = {{folded}};
  auto next = received.begin();
  for (int distance = 1; distance < world.power(); distance *= 2) {
    for (const Range& range : BlockAround(request, world, rank, distance)) {
      builder.SendShared(rank ^ distance, range, ready);
    }
    ready.after.insert(ready.after.end(), next, next + 2);
    next += 2;
  }
  if (world.HasExtra(rank)) {
    const int extra = world.ExtraOf(rank);
    for (const Range& range : Others(request, segment(extra))) {
      builder.SendShared(extra, range, ready);
    }
  }
  return std::move(builder).Build();
}

}  // namespace podsim
