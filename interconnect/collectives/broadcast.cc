// The root's buffer to all: down a chain of all ranks, chunk behind chunk, or
// down a binomial tree.
#include <algorithm>
#include <utility>

#include "interconnect/collectives/generators.h"

namespace podsim {

// W-1 hops, but a chunk is passed on while the next one still comes.
RankPlan RingBroadcast(const PlanRequest& request, int rank) {
  PlanBuilder builder = NewPlan(request, rank);
  const int world = WorldOf(request);
  const Range whole = {.begin = 0, .count = request.elements};
  const auto at = [&](int of) {
    const auto found = std::find(request.ring.begin(), request.ring.end(), of);
    return static_cast<int>(found - request.ring.begin());
  };
  const int here = at(rank);
  const int hops = (here - at(request.root) + world) % world;
  Cut came;
  if (hops > 0) {
    came = builder.ReceiveCopy(request.ring[(here + world - 1) % world], whole);
  }
  if (hops + 1 < world) {
    builder.SendShared(request.ring[(here + 1) % world], whole, {{came}});
  }
  return std::move(builder).Build();
}

// Ranks counted from the root: the parent of v is v without its lowest bit. In
// round k all that have the buffer send it 2^(L-1-k) ranks further.
RankPlan TreeBroadcast(const PlanRequest& request, int rank) {
  PlanBuilder builder = NewPlan(request, rank);
  const int world = WorldOf(request);
  const Range whole = {.begin = 0, .count = request.elements};
  const auto rank_of = [&](int v) { return (v + request.root) % world; };
  const int v = (rank - request.root + world) % world;
  int reach = v & -v;  // the lowest bit: children are nearer than that
  Cut came;
  if (v == 0) {
    for (reach = 1; reach < world;) reach *= 2;
  } else {
    came = builder.ReceiveCopy(rank_of(v - reach), whole);
  }
  for (int distance = reach / 2; distance > 0; distance /= 2) {
    if (v + distance >= world) continue;
    builder.SendShared(rank_of(v + distance), whole, {{came}});
  }
  return std::move(builder).Build();
}

}  // namespace podsim
