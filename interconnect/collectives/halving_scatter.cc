// Reduce-scatter by recursive halving with partners at distance 1, 2, 4, ...
//
// In that order rank r ends with piece Reversed(r). Either that is its share,
// or it shall end with segment r: then the segments are first laid out in
// scratch such that segment r lies where piece Reversed(r) is. What is an
// extra's lies behind what is its proxy's, which passes it on at the end.
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
  Cut copies;  // what makes them
};
// Pieces as they lie in the buffer: of one unit, or two where a rank has an
// extra.
std::vector<Range> SharedPieces(const PlanRequest& request,
                                const HalvingWorld& world) {
  const std::int64_t unit = request.elements / WorldOf(request);
  const int power = world.power();
  std::vector<Range> pieces(power);
  std::vector<int> reversed(power, 0);  // as Reversed has them, all at once
  std::int64_t at = 0;
  for (int i = 0; i < power; ++i) {
    reversed[i] = reversed[i / 2] / 2 + (i % 2 == 1 ? power / 2 : 0);
    pieces[i] = {at, world.HasExtra(reversed[i]) ? 2 * unit : unit};
    at += pieces[i].count;
  }
  return pieces;
}

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

Range OwnOf(const PlanRequest& request, int rank) {
  return request.halving_shares
             ? HalvingShare(request, rank)
             : SegmentOf(request.elements, WorldOf(request), rank);
}

}  // namespace

Range HalvingShare(const PlanRequest& request, int rank) {
  const HalvingWorld world(WorldOf(request));
  const int proxy = world.IsExtra(rank) ? world.ProxyOf(rank) : rank;
  Range share = SharedPieces(request, world)[world.Reversed(proxy)];
  share.count = request.elements / WorldOf(request);
  if (world.IsExtra(rank)) share.begin += share.count;
  return share;
}

RankPlan HalvingReduceScatter(const PlanRequest& request, int rank) {
  PlanBuilder builder = NewPlan(request, rank);
  const HalvingWorld world(WorldOf(request));
  const Range whole = {.begin = 0, .count = request.elements};
  const Range own = OwnOf(request, rank);
  if (world.IsExtra(rank)) {
    const Cut sent = builder.Send(world.ProxyOf(rank), whole);
    builder.ReceiveCopy(world.ProxyOf(rank), own, {{sent}});
    return std::move(builder).Build();
  }
  Cut folded;
  if (world.HasExtra(rank)) {
    folded = builder.ReceiveReduce(world.ExtraOf(rank), whole);
  }
  const Layout layout = request.halving_shares
                            ? Layout{SharedPieces(request, world), folded}
                            : AppendLayout(builder, request, world, folded);
  const Halving halving =
      AppendHalving(builder, world, rank, layout.pieces, layout.copies);
  const Range& piece = layout.pieces[world.Reversed(rank)];
  if (!request.halving_shares)
    builder.Copy(own, piece.begin, {{halving.summed}});
  if (world.HasExtra(rank)) {
    builder.Send(world.ExtraOf(rank),
                 {piece.begin + own.count, piece.count - own.count},
                 {{halving.summed}});
  }
  return std::move(builder).Build();
}

}  // namespace podsim
