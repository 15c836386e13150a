// Reduce-scatter by recursive halving with partners at distance 1, 2, 4, ...
//
// In that order rank r ends with piece Reversed(r), but it shall end with
// segment r. So the segments are first laid out in scratch such that segment r
// lies where piece Reversed(r) is; the segment of an extra lies behind that of
// its proxy, which passes it on at the end.
#include <utility>

#include "interconnect/collectives/generators.h"
#include "interconnect/collectives/halving_steps.h"

namespace podsim {
namespace {

// The segments of a rank below P and of its extra.
std::vector<Range> SegmentsOf(const PlanRequest& request,
                              const HalvingWorld& world, int rank) {
  std::vector<Range> segments = {
      SegmentOf(request.elements, WorldOf(request), rank)};
  if (world.HasExtra(rank)) {
    segments.push_back(
        SegmentOf(request.elements, WorldOf(request), world.ExtraOf(rank)));
  }
  return segments;
}

struct Layout {
  std::vector<Range> pieces;
  Cut copies;
};
// Copies the buffer into scratch, piece by piece.
Layout AppendLayout(PlanBuilder& builder, const PlanRequest& request,
                    const HalvingWorld& world, const Cut& folded) {
  Layout layout;
  std::int64_t at = builder.AddScratch(request.elements);
  for (int i = 0; i < world.power(); ++i) {
    Range piece = {at, 0};
    for (const Range& segment : SegmentsOf(request, world, world.Reversed(i))) {
      const Range here = {at, segment.count};
      layout.copies =
          Joined(layout.copies, builder.Copy(here, segment.begin, {{folded}}));
      piece.count += segment.count;
      at += segment.count;
    }
    layout.pieces.push_back(piece);
  }
  return layout;
}

}  // namespace

RankPlan HalvingReduceScatter(const PlanRequest& request, int rank) {
  PlanBuilder builder = NewPlan(request, rank);
  const HalvingWorld world(WorldOf(request));
  const Range whole = {.begin = 0, .count = request.elements};
  const Range own = SegmentOf(request.elements, WorldOf(request), rank);
  if (world.IsExtra(rank)) {
    const Cut sent = builder.Send(world.ProxyOf(rank), whole);
    builder.ReceiveCopy(world.ProxyOf(rank), own, {{sent}});
    return std::move(builder).Build();
  }
  Cut folded;
  if (world.HasExtra(rank)) {
    folded = builder.ReceiveReduce(world.ExtraOf(rank), whole);
  }
  const Layout layout = AppendLayout(builder, request, world, folded);
  const Halving halving =
      AppendHalving(builder, world, rank, layout.pieces, layout.copies);
  const Range& piece = layout.pieces[world.Reversed(rank)];
  builder.Copy(own, piece.begin, {{halving.summed}});
  if (world.HasExtra(rank)) {
    builder.Send(world.ExtraOf(rank),
                 {piece.begin + own.count, piece.count - own.count},
                 {{halving.summed}});
  }
  return std::move(builder).Build();
}

}  // namespace podsim
