// The simulation keeps a clock and a queue of events, earliest first, equal
// times in the order in which they were foreseen. Three things happen: a chunk
// reaches a link of its route, a chunk reaches its receiver, a send is done
// (its last bit has left the sender). Each frees ops of the plan as the plan
// says.
#include "interconnect/timing/pricing.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "interconnect/collectives/plan_index.h"

namespace podsim {
namespace {

// Where the frames of one rank to one peer go.
struct Path {
  std::vector<int> links;
  std::int32_t to = 0;    // whose plan receives them (an index into ranks)
  std::int32_t from = 0;  // the sender as that plan names it
};

struct RankState {
  RankState(const RankPlan& of, PlanIndex by)
      : plan(&of),
        index(std::make_unique<const PlanIndex>(std::move(by))),
        progress(*index),
        arrived(of.ops.size(), false) {}
  const RankPlan* plan;
  std::unique_ptr<const PlanIndex> index;  // progress points to it
  PlanProgress progress;
  std::vector<bool> arrived;
  std::vector<Path> paths;  // per peer of the index
};

enum class EventKind : std::uint8_t { kAtLink, kAtReceiver, kSendDone };

struct Event {
  SimTime time;
  std::uint64_t order = 0;
  EventKind kind = EventKind::kAtLink;
  std::int32_t rank = 0;  // the sender
  std::int32_t op = 0;    // its send
  std::int32_t hop = 0;   // kAtLink: index into the route
  bool operator>(const Event& other) const {
    return time != other.time ? time > other.time : order > other.order;
  }
};

class Simulation {
 public:
  Simulation(const TorusModel& torus, std::vector<RankState> ranks)
      : torus_(torus),
        ranks_(std::move(ranks)),
        free_at_(static_cast<std::size_t>(torus.chips()) * kLinksPerChip) {}

  absl::StatusOr<SimTime> Run() {
    for (std::int32_t rank = 0; rank < size(); ++rank) {
      for (const std::int32_t op : ranks_[rank].index->first_local) {
        Finish(rank, op);
      }
      for (std::size_t peer = 0; peer < ranks_[rank].paths.size(); ++peer) {
        Pump(rank, static_cast<std::int32_t>(peer));
      }
    }
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.time;
      Handle(event);
    }
    for (const RankState& rank : ranks_) {
      if (rank.progress.complete()) continue;
      const PlanOp& op = rank.plan->ops[rank.progress.FirstOpen()];
      return absl::InternalError(
          absl::StrCat("the plans never end: rank ", rank.plan->rank,
                       " waits for chunk ", op.chunk, " with rank ", op.peer));
    }
    return now_;
  }

 private:
  std::int32_t size() const { return static_cast<std::int32_t>(ranks_.size()); }
  const Path& PathOf(const Event& event) const {
    const RankState& rank = ranks_[event.rank];
    return rank.paths[rank.index->peer_of[event.op]];
  }

  void Foresee(SimTime time, EventKind kind, std::int32_t rank, std::int32_t op,
               std::int32_t hop) {
    events_.push({time, foreseen_++, kind, rank, op, hop});
  }

  void Handle(const Event& event) {
    const Path& path = PathOf(event);
    const PlanOp& op = ranks_[event.rank].plan->ops[event.op];
    switch (event.kind) {
      case EventKind::kAtLink: {
        SimTime& free_at = free_at_[path.links[event.hop]];
        const SimTime end =
            std::max(now_, free_at) + TransmitTime(torus_, op.range.count);
        free_at = end;
        if (event.hop == 0) {
          Foresee(end, EventKind::kSendDone, event.rank, event.op, 0);
        }
        const bool last =
            event.hop + 1 == static_cast<std::int32_t>(path.links.size());
        Foresee(end + torus_.hop,
                last ? EventKind::kAtReceiver : EventKind::kAtLink, event.rank,
                event.op, event.hop + 1);
        break;
      }
      case EventKind::kAtReceiver: {
        RankState& receiver = ranks_[path.to];
        const std::int32_t receive =
            receiver.index->FindReceive(path.from, op.chunk);
        if (receive < 0) return;  // some op then waits for ever: Run says so
        receiver.arrived[receive] = true;
        if (receiver.progress.ready(receive)) Finish(path.to, receive);
        break;
      }
      case EventKind::kSendDone:
        Finish(event.rank, event.op);
        break;
    }
  }

  void Pump(std::int32_t rank, std::int32_t peer) {
    RankState& state = ranks_[rank];
    for (std::int32_t op; (op = state.progress.NextSend(peer)) >= 0;) {
      state.progress.BeginSend(peer);
      Foresee(now_, EventKind::kAtLink, rank, op, 0);
    }
  }

  void Finish(std::int32_t rank, std::int32_t op) {
    RankState& state = ranks_[rank];
    std::vector<std::int32_t> ready = {op};
    while (!ready.empty()) {
      const std::int32_t finished = ready.back();
      ready.pop_back();
      state.progress.Finish(finished, [&](std::int32_t freed) {
        if (state.plan->ops[freed].kind == OpKind::kSend) {
          Pump(rank, state.index->peer_of[freed]);
        } else if (state.arrived[freed] ||
                   IsLocal(state.plan->ops[freed].kind)) {
          ready.push_back(freed);  // sums take no time, as those of frames
        }
      });
    }
  }

  const TorusModel& torus_;
  std::vector<RankState> ranks_;
  std::vector<SimTime> free_at_;  // per link
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t foreseen_ = 0;
  SimTime now_;
};

absl::Status CheckModel(const TorusModel& torus, std::size_t ranks) {
  if (!(torus.link_bytes_per_second > 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("link bandwidth of ", torus.link_bytes_per_second,
                     " bytes/s: must be positive"));
  }
  if (ranks != static_cast<std::size_t>(torus.chips())) {
    return absl::InvalidArgumentError(
        absl::StrCat(ranks, " ranks for a grid of ", torus.grid.x, "x",
                     torus.grid.y, " chips: must be one per chip"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SimTime> PriceCollective(const std::vector<RankPlan>& plans,
                                        const TorusModel& torus) {
  PODSIM_RETURN_IF_ERROR(CheckModel(torus, plans.size()));
  std::vector<RankState> ranks;
  for (const RankPlan& plan : plans) {
    const std::int32_t rank = static_cast<std::int32_t>(ranks.size());
    if (plan.rank != rank || plan.world != torus.chips()) {
      return absl::InvalidArgumentError(
          absl::StrCat("plan ", rank, " is of rank ", plan.rank, " of ",
                       plan.world, ": must be in order and one per chip"));
    }
    PODSIM_ASSIGN_OR_RETURN(PlanIndex index, IndexPlan(plan));
    RankState& state = ranks.emplace_back(plan, std::move(index));
    for (const PlanIndex::Peer& peer : state.index->peers) {
      state.paths.push_back(
          {RouteBetween(torus, rank, peer.rank), peer.rank, rank});
    }
  }
  return Simulation(torus, std::move(ranks)).Run();
}

bool RingOfNeighbours(const std::vector<int>& order, const TorusModel& torus) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int next = order[(i + 1) % order.size()];
    if (RouteBetween(torus, order[i], next).size() != 1) return false;
  }
  return true;
}

absl::StatusOr<SimTime> PriceUniformRing(const RingOptions& options,
                                         const TorusModel& torus) {
  PODSIM_RETURN_IF_ERROR(CheckModel(torus, options.order.size()));
  PODSIM_CHECK(RingOfNeighbours(options.order, torus));
  const RankPlan plan = RingAllReduce(options, options.order[0]);
  PODSIM_ASSIGN_OR_RETURN(PlanIndex index, IndexPlan(plan));
  std::vector<RankState> ranks;
  RankState& state = ranks.emplace_back(plan, std::move(index));
  // What this rank sends to the next, the previous one sends to it.
  for (const PlanIndex::Peer& peer : state.index->peers) {
    state.paths.push_back(
        {RouteBetween(torus, plan.rank, peer.rank), 0, options.order.back()});
  }
  return Simulation(torus, std::move(ranks)).Run();
}

RingOptions ChipRingOptions(const Slice& slice, std::int64_t elements,
                            const ChunkRule& rule) {
  RingOptions options;
  options.order = ChipRing(slice);
  const std::int64_t world = slice.chips;
  const std::int64_t segment = (elements + world - 1) / world;
  options.elements = segment * world;
  const std::int64_t most = std::max<std::int64_t>(1, rule.most_per_segment);
  options.chunk_elements =
      std::max<std::int64_t>({1, rule.bytes / TorusOf(slice).element_bytes,
                              (segment + most - 1) / most});
  return options;
}

absl::StatusOr<SimTime> PriceAllReduce(const Slice& slice,
                                       std::int64_t elements,
                                       const ChunkRule& rule) {
  if (elements < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("all-reduce of ", elements, " elements: must be >= 0"));
  }
  const TorusModel torus = TorusOf(slice);
  const RingOptions options = ChipRingOptions(slice, elements, rule);
  if (RingOfNeighbours(options.order, torus)) {
    return PriceUniformRing(options, torus);
  }
  std::vector<RankPlan> plans;
  plans.reserve(options.order.size());
  for (int chip = 0; chip < slice.chips; ++chip) {
    plans.push_back(RingAllReduce(options, chip));
  }
  return PriceCollective(plans, torus);
}

}  // namespace podsim
