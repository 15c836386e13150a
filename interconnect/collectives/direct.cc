// Everyone with everyone, sums in rank order: ((x0 + x1) + x2) + ...
//
// Large buffers in two steps: segment s goes to rank s, which sums it and sends
// it to all. Small ones in one: everyone sends everything to everyone, and all
// make the same sum.
#include <utility>

#include "interconnect/collectives/generators.h"

namespace podsim {
namespace {

// The rank `distance` further: all begin with another one, so that not everyone
// sends to the same rank at the same time.
int Further(const PlanRequest& request, int rank, int distance) {
  if (!request.peers.empty()) return request.peers[distance - 1];
  return (rank + distance) % WorldOf(request);
}

struct Scatter {
  std::vector<Cut> sent;  // by rank
  Cut summed;             // what made my own segment whole
};

// Adds what comes in rank order. The own contribution stands in the buffer, so
// the ranks below are summed in scratch.
Scatter AppendScatter(PlanBuilder& builder, const PlanRequest& request,
                      int rank) {
  const int world = WorldOf(request);
  const auto segment = [&](int of) {
    return SegmentOf(request.elements, world, of);
  };
  Scatter ops;
  ops.sent.resize(world);
  for (int distance = 1; distance < world; ++distance) {
    const int to = Further(request, rank, distance);
    ops.sent[to] = builder.Send(to, segment(to));
  }
  const Range own = segment(rank);
  const Range below = {builder.AddScratch(rank > 0 ? own.count : 0), own.count};
  if (rank > 0) ops.summed = builder.ReceiveCopy(0, below);
  for (int from = 1; from < world; ++from) {
    if (from == rank) {
      ops.summed = builder.Reduce(own, below.begin, {{ops.summed}});
    } else {
      ops.summed =
          builder.Accumulate(from, from < rank ? below : own, ops.summed);
    }
  }
  return ops;
}

// `before`: the sends of segments that are overwritten here, by rank.
void AppendGather(PlanBuilder& builder, const PlanRequest& request, int rank,
                  const Scatter& before) {
  const int world = WorldOf(request);
  const Range own = SegmentOf(request.elements, world, rank);
  for (int distance = 1; distance < world; ++distance) {
    builder.SendShared(Further(request, rank, distance), own,
                       {{before.summed}});
  }
  for (int from = 0; from < world; ++from) {
    if (from == rank) continue;
    const Cut sent = before.sent.empty() ? Cut{} : before.sent[from];
    builder.ReceiveCopy(from, SegmentOf(request.elements, world, from),
                        {{sent}});
  }
}

// One chunk of the one-step form: slot k holds the contribution of rank k, that
// of this rank is the buffer itself. Slot k becomes the sum up to rank k.
void AppendExchange(PlanBuilder& builder, const PlanRequest& request, int rank,
                    const Range& chunk, std::int64_t scratch) {
  const int world = WorldOf(request);
  const auto slot = [&](int of) {
    if (of == rank) return chunk;
    const std::int64_t place = of < rank ? of : of - 1;
    return Range{scratch + place * request.elements + chunk.begin, chunk.count};
  };
  Cut sent;
  for (int distance = 1; distance < world; ++distance) {
    sent = Joined(sent,
                  builder.SendShared(Further(request, rank, distance), chunk));
  }
  // What makes a slot ready: my own counts as it went over the wire.
  std::vector<Cut> ready(world, sent);
  for (int from = 0; from < world; ++from) {
    if (from != rank) ready[from] = builder.ReceiveCopy(from, slot(from));
  }
  Cut summed = ready[0];
  for (int next = 1; next < world; ++next) {
    summed = builder.Reduce(slot(next), slot(next - 1).begin,
                            {{ready[next]}, {summed}});
  }
  if (rank != world - 1) {
    builder.Copy(chunk, slot(world - 1).begin, {{summed}});
  }
}

}  // namespace

RankPlan DirectAllReduce(const PlanRequest& request, int rank) {
  PlanBuilder builder = NewPlan(request, rank);
  const int world = WorldOf(request);
  if (request.elements <=
      request.one_step_elements.value_or(kDirectOneStepElements / world)) {
    const std::int64_t scratch =
        builder.AddScratch((world - 1) * request.elements);
    for (const Range& chunk : builder.ChunksOf({0, request.elements})) {
      AppendExchange(builder, request, rank, chunk, scratch);
    }
  } else {
    AppendGather(builder, request, rank, AppendScatter(builder, request, rank));
  }
  return std::move(builder).Build();
}

RankPlan DirectReduceScatter(const PlanRequest& request, int rank) {
  PlanBuilder builder = NewPlan(request, rank);
  AppendScatter(builder, request, rank);
  return std::move(builder).Build();
}

RankPlan DirectAllGather(const PlanRequest& request, int rank) {
  PlanBuilder builder = NewPlan(request, rank);
  AppendGather(builder, request, rank, {});
  return std::move(builder).Build();
}

// What comes waits in scratch until the segment it replaces has been sent.
RankPlan DirectAllToAll(const PlanRequest& request, int rank) {
  PlanBuilder builder = NewPlan(request, rank);
  const int world = WorldOf(request);
  const std::int64_t scratch = builder.AddScratch(request.elements);
  for (int distance = 1; distance < world; ++distance) {
    const int peer = Further(request, rank, distance);
    const Range segment = SegmentOf(request.elements, world, peer);
    const Cut sent = builder.Send(peer, segment);
    const Cut came =
        builder.ReceiveCopy(peer, {scratch + segment.begin, segment.count});
    builder.Copy(segment, scratch + segment.begin, {{came}, {sent}});
  }
  return std::move(builder).Build();
}

}  // namespace podsim
