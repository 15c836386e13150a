// Halving-doubling for small buffers: partners at distance 1, 2, 4, ...
// exchange all that they have, in one frame, and both make the same sum. Twice
// the bytes or more, half the steps, the same order of additions.
//
// Both partners must get the same bits, so both put the lower rank's value on
// the left, and both use their own value as it went over the wire: the sum
// waits until the own send is done. Were the receiving to wait for that on both
// sides, they would wait for each other for ever, for a send may be done only
// when its bytes have been taken. So what comes is taken into a slot of its
// own first.
//
// An extra needs no step of its own at the end: it is sent both sides of the
// last exchange and makes the same sum.
#include <algorithm>
#include <utility>

#include "interconnect/collectives/generators.h"
#include "interconnect/collectives/halving_steps.h"

namespace podsim {
namespace {

void AppendDoublingExtra(PlanBuilder& builder, const HalvingWorld& world,
                         int rank, const Range& whole) {
  const int proxy = world.ProxyOf(rank);
  const int other = proxy ^ (world.power() / 2);
  const Range lower = {builder.AddScratch(whole.count), whole.count};
  const Range higher = {builder.AddScratch(whole.count), whole.count};
  const Cut sent = builder.Send(proxy, whole);
  const Cut left = builder.ReceiveCopy(std::min(proxy, other), lower);
  const Cut right = builder.ReceiveCopy(std::max(proxy, other), higher);
  const Cut sum = builder.Reduce(higher, lower.begin, {{left, right}});
  builder.Copy(whole, higher.begin, {{sum}, {sent}});
}

}  // namespace

RankPlan RecursiveDoublingAllReduce(PlanRequest request, int rank) {
  request.chunk_elements = std::max(request.chunk_elements, request.elements);
  PlanBuilder builder = NewPlan(request, rank);
  const HalvingWorld world(WorldOf(request));
  const Range whole = {.begin = 0, .count = request.elements};
  if (world.IsExtra(rank)) {
    AppendDoublingExtra(builder, world, rank, whole);
    return std::move(builder).Build();
  }
  Cut ready;
  if (world.HasExtra(rank)) {
    ready = builder.ReceiveReduce(world.ExtraOf(rank), whole);
  }
  Range mine = whole;
  for (int distance = 1; distance < world.power(); distance *= 2) {
    const int partner = rank ^ distance;
    Cut sent = builder.SendShared(partner, mine, {{ready}});
    for (const int proxy : {rank, partner}) {
      if (distance * 2 < world.power() || !world.HasExtra(proxy)) continue;
      sent = Joined(sent,
                    builder.SendShared(world.ExtraOf(proxy), mine, {{ready}}));
    }
    const Range theirs = {builder.AddScratch(whole.count), whole.count};
    const Cut came = builder.ReceiveCopy(partner, theirs);
    if (rank < partner) {
      ready = builder.Reduce(theirs, mine.begin, {{came}, {sent}});
      mine = theirs;
    } else {
      ready = builder.Reduce(mine, theirs.begin, {{came}, {sent}});
    }
  }
  if (mine.begin != 0) builder.Copy(whole, mine.begin, {{ready}});
  return std::move(builder).Build();
}

}  // namespace podsim
