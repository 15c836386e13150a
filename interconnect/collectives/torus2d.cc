// Rings along the rows, then along the columns, and back: reduce-scatter in the
// row leaves each rank the row's sum of one shard, an all-reduce of the shard
// in the column makes it the sum of all, an all-gather in the row spreads it.
// (C-1) + (R-1) steps a phase instead of R C - 1, for the same bytes.
#include <utility>

#include "interconnect/collectives/generators.h"
#include "interconnect/collectives/ring_steps.h"

namespace podsim {
namespace {

// `size` ranks from `first` on, `stride` apart, that share `whole`.
RingPlace PlaceInLine(int first, int stride, int size, const Range& whole,
                      int rank) {
  std::vector<int> members;
  std::vector<Range> pieces;
  for (int at = 0; at < size; ++at) {
    members.push_back(first + at * stride);
    pieces.push_back(SegmentIn(whole, size, at));
  }
  return PlaceInRing(std::move(members), std::move(pieces), rank);
}

}  // namespace

RankPlan Torus2dAllReduce(const PlanRequest& request, int rank) {
  PlanBuilder builder = NewPlan(request, rank);
  const int columns = request.columns;
  const RingPlace row =
      PlaceInLine(rank - rank % columns, 1, columns,
                  {.begin = 0, .count = request.elements}, rank);
  const RingPlace column = PlaceInLine(rank % columns, columns, request.rows,
                                       row.Piece(row.position), rank);

  const RingScatter in_row = AppendRingScatter(builder, row);
  const RingScatter in_column =
      AppendRingScatter(builder, column, in_row.summed);
  // A grid of one row has nothing to wait for in its columns.
  const Cut summed = request.rows > 1 ? in_column.summed : in_row.summed;
  const std::vector<Cut> shard =
      AppendRingGather(builder, column, {{summed}}, in_column.sends);
  AppendRingGather(builder, row, {shard, {summed}}, in_row.sends);
  return std::move(builder).Build();
}

}  // namespace podsim
