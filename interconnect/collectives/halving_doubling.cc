// Recursive halving, then doubling: partners at distance 1, 2, 4, ... exchange
// halves of what is still theirs and add; then, at distance ..., 4, 2, 1, they
// exchange all that they have of the result. Extras hand their buffer to their
// proxy first and get the result last.
#include <utility>

#include "interconnect/collectives/generators.h"
#include "interconnect/collectives/halving_steps.h"

namespace podsim {
namespace {

// The halving backwards. A copy lands in what its step gave away, and waits
// until that send is done. Returns what makes the whole result.
Waits AppendDoubling(PlanBuilder& builder, const Halving& halving) {
  Waits ready = {{}, {halving.summed}};
  // Receives first, so that they stand together: a send may need several.
  for (auto step = halving.steps.rbegin(); step != halving.steps.rend();
       ++step) {
    ready.after.push_back(
        builder.ReceiveCopy(step->partner, step->given, {{step->sent}}));
  }
  Waits so_far = {{}, ready.after_also};
  for (auto step = halving.steps.rbegin(); step != halving.steps.rend();
       ++step) {
    builder.SendShared(step->partner, step->kept, so_far);
    so_far.after.push_back(ready.after[so_far.after.size()]);
  }
  return ready;
}

}  // namespace

RankPlan HalvingDoublingAllReduce(const PlanRequest& request, int rank) {
  if (request.elements <= request.whole_elements) {
    return RecursiveDoublingAllReduce(request, rank);
  }
  PlanBuilder builder = NewPlan(request, rank);
  const HalvingWorld world(WorldOf(request));
  const Range whole = {.begin = 0, .count = request.elements};
  if (world.IsExtra(rank)) {
    const Cut sent = builder.Send(world.ProxyOf(rank), whole);
    builder.ReceiveCopy(world.ProxyOf(rank), whole, {{sent}});
    return std::move(builder).Build();
  }
  Cut folded;
  if (world.HasExtra(rank)) {
    folded = builder.ReceiveReduce(world.ExtraOf(rank), whole);
  }
  std::vector<Range> pieces;
  for (int i = 0; i < world.power(); ++i) {
    pieces.push_back(SegmentOf(request.elements, world.power(), i));
  }
  const Halving halving = AppendHalving(builder, world, rank, pieces, folded);
  const Waits result = AppendDoubling(builder, halving);
  if (world.HasExtra(rank)) {
    builder.SendShared(world.ExtraOf(rank), whole, result);
  }
  return std::move(builder).Build();
}

}  // namespace podsim
