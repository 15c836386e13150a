// The unidirectional ring over all ranks; position p owns the segment of the
// rank that stands there.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/status.h"
#include "interconnect/collectives/plan.h"
#include "interconnect/collectives/plan_builder.h"
#include "interconnect/collectives/ring_steps.h"

namespace podsim {
namespace {

int WorldOf(const RingOptions& options) {
  return static_cast<int>(options.order.size());
}

PlanBuilder NewPlan(const char* name, const RingOptions& options, int rank) {
  return PlanBuilder(name, rank, WorldOf(options), options.elements,
                     options.chunk_elements);
}

RingPlace FindPlace(const RingOptions& options, int rank) {
  const int world = WorldOf(options);
  std::vector<bool> seen(world, false);
  std::vector<Range> pieces;
  for (const int member : options.order) {
    PODSIM_CHECK(member >= 0 && member < world && !seen[member]);
    seen[member] = true;
    pieces.push_back(SegmentOf(options.elements, world, member));
  }
  return PlaceInRing(options.order, std::move(pieces), rank);
}

// Up to `count` elements of each piece, from its element `begin` on.
RingPlace WaveOf(RingPlace place, std::int64_t begin, std::int64_t count) {
  for (Range& piece : place.pieces) {
    const std::int64_t skipped = std::min(begin, piece.count);
    piece = {piece.begin + skipped, std::min(count, piece.count - skipped)};
  }
  return place;
}

}  // namespace

RankPlan RingReduceScatter(const RingOptions& options, int rank) {
  PlanBuilder builder = NewPlan("reduce-scatter", options, rank);
  AppendRingScatter(builder, FindPlace(options, rank));
  return std::move(builder).Build();
}

RankPlan RingAllGather(const RingOptions& options, int rank) {
  PlanBuilder builder = NewPlan("all-gather", options, rank);
  AppendRingGather(builder, FindPlace(options, rank), {}, {});
  return std::move(builder).Build();
}

RankPlan RingAllReduce(const RingOptions& options, int rank) {
  PlanBuilder builder = NewPlan("all-reduce", options, rank);
  const RingPlace place = FindPlace(options, rank);
  const std::int64_t longest =
      SegmentOf(options.elements, WorldOf(options), 0).count;
  const std::int64_t length =
      options.wave_chunks > 0 ? options.wave_chunks * builder.chunk_elements()
                              : longest;
  for (std::int64_t begin = 0; begin < longest; begin += length) {
    const RingPlace wave = WaveOf(place, begin, length);
    const RingScatter scatter = AppendRingScatter(builder, wave);
    AppendRingGather(builder, wave, {{scatter.summed}}, scatter.sends);
  }
  return std::move(builder).Build();
}

}  // namespace podsim
