// The ring algorithms as plans. Positions are places in the ring; a step is one
// round in which each position sends one segment to the next.
#include "interconnect/collectives/plan.h"

#include <algorithm>
#include <limits>

#include "base/status.h"

namespace podsim {
namespace {

int Mod(int value, int world) { return ((value % world) + world) % world; }

// Where one rank stands in the ring, and how its segments are cut.
struct Ring {
  int world = 1;
  int position = 0;
  std::vector<int> order;
  int next = 0;      // ranks
  int previous = 0;  //
  std::int64_t elements = 0;
  std::int64_t chunk = 1;
  std::int64_t chunks_per_step = 0;  // of the longest segment
};

Ring FindPlace(const RingOptions& options, int rank) {
  Ring ring;
  ring.world = static_cast<int>(options.order.size());
  ring.order = options.order;
  ring.elements = options.elements;
  ring.chunk = options.chunk_elements;
  PODSIM_CHECK(ring.world >= 1 && ring.elements >= 0 && ring.chunk >= 1);
  PODSIM_CHECK(rank >= 0 && rank < ring.world);
  std::vector<bool> seen(options.order.size(), false);
  for (int position = 0; position < ring.world; ++position) {
    const int here = options.order[position];
    PODSIM_CHECK(here >= 0 && here < ring.world && !seen[here]);
    seen[here] = true;
    if (here == rank) ring.position = position;
  }
  ring.next = options.order[Mod(ring.position + 1, ring.world)];
  ring.previous = options.order[Mod(ring.position - 1, ring.world)];
  const std::int64_t longest = SegmentOf(ring.elements, ring.world, 0).count;
  ring.chunks_per_step = (longest + ring.chunk - 1) / ring.chunk;
  // Chunks are numbered step by step through both phases of an all-reduce; a
  // rank sends and receives each number at most once.
  PODSIM_CHECK(2 * ring.chunks_per_step * ring.world <
               std::numeric_limits<std::int32_t>::max() / 2);
  return ring;
}

RankPlan EmptyPlan(const char* name, const Ring& ring, int rank) {
  RankPlan plan;
  plan.name = name;
  plan.rank = rank;
  plan.world = ring.world;
  plan.elements = ring.elements;
  return plan;
}

// One op per chunk of the segment of the rank at `position`. Chunk c waits for
// op `after` + c, which works on the same range; -1: waits for nothing. Returns
// the index of the first.
std::int32_t AppendChunks(RankPlan& plan, const Ring& ring, OpKind kind,
                          int step, int position, std::int32_t after) {
  const std::int32_t first = static_cast<std::int32_t>(plan.ops.size());
  const int owner = ring.order[Mod(position, ring.world)];
  const Range whole = SegmentOf(ring.elements, ring.world, owner);
  std::int32_t c = 0;
  for (std::int64_t done = 0; done < whole.count; done += ring.chunk, ++c) {
    PlanOp op;
    op.kind = kind;
    op.peer = kind == OpKind::kSend ? ring.next : ring.previous;
    op.chunk = static_cast<std::uint32_t>(step * ring.chunks_per_step + c);
    op.range = {whole.begin + done, std::min(ring.chunk, whole.count - done)};
    if (after >= 0) op.after = {after + c, 1};
    plan.ops.push_back(op);
  }
  return first;
}

// What the reduce-scatter leaves behind for the all-gather to wait for.
struct ReduceScatterOps {
  std::vector<std::int32_t> sends;  // first send of each step
  std::int32_t last_receive = -1;   // first receive of the last step
};

// A send of step s passes on what step s-1 summed.
ReduceScatterOps AppendReduceScatter(RankPlan& plan, const Ring& ring) {
  ReduceScatterOps ops;
  const int p = ring.position;
  for (int s = 0; s + 1 < ring.world; ++s) {
    ops.sends.push_back(AppendChunks(plan, ring, OpKind::kSend, s, p - 1 - s,
                                     ops.last_receive));
    ops.last_receive =
        AppendChunks(plan, ring, OpKind::kReceiveReduce, s, p - 2 - s, -1);
  }
  return ops;
}

// A send of step s passes on what step s-1 copied. The copy of step s lands in
// the segment that step s of the reduce-scatter sent. Those bytes are sent from
// where they lie, so the copy waits until that send is done: that the reply has
// arrived (it has been all around the ring) does not prove it.
void AppendAllGather(RankPlan& plan, const Ring& ring, int first_step,
                     const ReduceScatterOps& before) {
  const int p = ring.position;
  std::int32_t receive = before.last_receive;
  for (int s = 0; s + 1 < ring.world; ++s) {
    const std::int32_t send =
        AppendChunks(plan, ring, OpKind::kSend, first_step + s, p - s, receive);
    for (std::size_t i = send; i < plan.ops.size(); ++i) {
      plan.ops[i].keep_rounded = true;  // final values: all end with the same
    }
    receive =
        AppendChunks(plan, ring, OpKind::kReceiveCopy, first_step + s,
                     p - 1 - s, before.sends.empty() ? -1 : before.sends[s]);
  }
}

}  // namespace

Range SegmentOf(std::int64_t elements, int world, int index) {
  const std::int64_t share = elements / world;
  const std::int64_t longer = elements % world;
  return {index * share + std::min<std::int64_t>(index, longer),
          share + (index < longer ? 1 : 0)};
}

RankPlan RingReduceScatter(const RingOptions& options, int rank) {
  const Ring ring = FindPlace(options, rank);
  RankPlan plan = EmptyPlan("reduce-scatter", ring, rank);
  AppendReduceScatter(plan, ring);
  return plan;
}

RankPlan RingAllGather(const RingOptions& options, int rank) {
  const Ring ring = FindPlace(options, rank);
  RankPlan plan = EmptyPlan("all-gather", ring, rank);
  AppendAllGather(plan, ring, 0, {});
  return plan;
}

RankPlan RingAllReduce(const RingOptions& options, int rank) {
  const Ring ring = FindPlace(options, rank);
  RankPlan plan = EmptyPlan("all-reduce", ring, rank);
  const ReduceScatterOps before = AppendReduceScatter(plan, ring);
  AppendAllGather(plan, ring, ring.world - 1, before);
  return plan;
}

}  // namespace podsim
