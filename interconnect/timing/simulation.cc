// The simulation keeps a clock and a queue of events, earliest first. At one
// time what arrives comes first: it may free sends, which then line up at their
// links with the pieces that pass through.
#include "interconnect/timing/simulation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "interconnect/collectives/plan_index.h"
#include "interconnect/timing/event_queue.h"

namespace podsim {
namespace {

struct RankState {
  RankState(SimRank of, PlanIndex by)
      : rank(std::move(of)),
        index(std::make_unique<const PlanIndex>(std::move(by))),
        progress(*index),
        arrived(rank.plan.ops.size(), false) {
    std::int32_t sends = 0;
    ordinal.reserve(rank.plan.ops.size());
    for (const PlanOp& op : rank.plan.ops)
      ordinal.push_back(op.kind == OpKind::kSend ? sends++ : -1);
  }
  SimRank rank;
  std::unique_ptr<const PlanIndex> index;  // progress points to it
  PlanProgress progress;
  std::vector<bool> arrived;
  std::vector<std::int32_t> ordinal;  // op -> which send of the plan it is
  SimTime end;

  bool HasDependents(std::int32_t op) const {
    return index->first_dependent[op] != index->first_dependent[op + 1];
  }
};

// What decides between pieces that reach a link at the same time; smaller is
// sooner. Arrivals (0) come before all of them.
constexpr int kPlaceBits = 10;
constexpr int kSendBits = 21;

std::uint64_t PlaceKey(const Offset& steps) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kPlaceBits) - 1;
  constexpr std::int64_t kMiddle = std::int64_t{1} << (kPlaceBits - 1);
  std::uint64_t key = 0;
  for (const std::int64_t step : steps)
    key = key << kPlaceBits |
          (std::bit_cast<std::uint64_t>(kMiddle + step) & kMask);
  return key;
}

std::uint64_t LineKey(int hop, std::int32_t send, const Offset& steps) {
  const std::uint64_t place = PlaceKey(steps);
  const std::uint64_t hops = static_cast<std::uint64_t>(hop) + 1;
  const std::uint64_t sends =
      std::min<std::uint64_t>(send, (1U << kSendBits) - 1);
  return (hops << kSendBits | sends) << (3 * kPlaceBits) | place;
}

struct Event {
  std::int64_t time = 0;  // picoseconds
  std::uint64_t key = 0;  // 0: the piece is there, or its send is done
  std::int32_t rank = 0;  // the sender
  std::int32_t op = 0;    // its send
  std::int32_t hop = 0;   // index into the route; key 0: -1 send done
  std::int32_t slow = 0;  // the slowest link so far, an index into rates
};

class Simulation {
 public:
  Simulation(std::vector<RankState> ranks, const SimLinks& links)
      : links_(links), ranks_(std::move(ranks)), free_at_(links.count) {
    result_.sent.resize(links.count);
    result_.busy.resize(links.count);
  }

  absl::StatusOr<SimResult> Run() {
    for (std::int32_t rank = 0; rank < size(); ++rank) {
      for (const std::int32_t op : ranks_[rank].index->first_local)
        Finish(rank, op);
      const auto peers =
          static_cast<std::int32_t>(ranks_[rank].rank.paths.size());
      for (std::int32_t peer = 0; peer < peers; ++peer) Pump(rank, peer);
    }
    while (!events_.empty()) {
      const Event event = events_.Take();
      now_ = event.time;
      ++result_.events;
      if (event.key != 0)
        CrossLink(event);
      else if (event.hop < 0)
        Finish(event.rank, event.op);
      else
        Arrive(event);
    }
    return Result();
  }

 private:
  std::int32_t size() const { return static_cast<std::int32_t>(ranks_.size()); }

  const SimPath& PathOf(const Event& event) const {
    const RankState& state = ranks_[event.rank];
    return state.rank.paths[state.index->peer_of[event.op]];
  }

  double Rate(std::int32_t link) const {
    return links_.rates.empty() ? 1 : links_.rates[link];
  }

  std::int64_t Transmission(std::int64_t bytes, double rate) const {
    const double seconds =
        static_cast<double>(bytes) / (links_.bytes_per_second * rate);
    return std::max<std::int64_t>(1, std::llround(seconds * 1e12));
  }

  // A piece behind a slower link comes no faster than that let it.
  void CrossLink(Event event) {
    const SimPath& path = PathOf(event);
    const std::int64_t bytes =
        ranks_[event.rank].rank.plan.ops[event.op].range.count *
        links_.element_bytes;
    const std::int32_t link = path.links[event.hop];
    if (event.hop == 0 || Rate(link) < Rate(event.slow)) event.slow = link;
    const std::int64_t duration = Transmission(bytes, Rate(event.slow));
    const std::int64_t begin = std::max(now_, free_at_[link]);
    const std::int64_t end = begin + duration;
    free_at_[link] = end;
    result_.sent[link] += bytes;
    result_.busy[link] += SimTime::Picoseconds(duration);
    if (event.hop == 0) {
      // Nothing else hears of it: then it may as well be done at once.
      if (ranks_[event.rank].HasDependents(event.op))
        events_.Push({end, 0, event.rank, event.op, -1, 0});
      else
        Finish(event.rank, event.op);
    }
    const std::int64_t hop = links_.hop.picoseconds();
    ++event.hop;
    if (event.hop == static_cast<std::int32_t>(path.links.size())) {
      events_.Push({end + hop, 0, event.rank, event.op, event.hop, 0});
      return;
    }
    event.time = begin + hop;
    event.key = LineKey(event.hop, ranks_[event.rank].ordinal[event.op],
                        path.SeenAt(event.hop));
    events_.Push(event);
  }

  void Arrive(const Event& event) {
    const SimPath& path = PathOf(event);
    RankState& receiver = ranks_[path.to];
    const std::int32_t receive = receiver.index->FindReceive(
        path.from, ranks_[event.rank].rank.plan.ops[event.op].chunk);
    if (receive < 0) return;  // some op then waits for ever: Result says so
    receiver.arrived[receive] = true;
    receiver.end = std::max(receiver.end, SimTime::Picoseconds(now_));
    if (receiver.progress.ready(receive)) Finish(path.to, receive);
  }

  void Pump(std::int32_t rank, std::int32_t peer) {
    RankState& state = ranks_[rank];
    for (std::int32_t op; (op = state.progress.NextSend(peer)) >= 0;) {
      state.progress.BeginSend(peer);
      const SimPath& path = state.rank.paths[peer];
      events_.Push({now_, LineKey(0, state.ordinal[op], path.SeenAt(0)), rank,
                    op, 0, 0});
    }
  }

  void Finish(std::int32_t rank, std::int32_t op) {
    RankState& state = ranks_[rank];
    std::vector<std::int32_t> ready = {op};
    while (!ready.empty()) {
      const std::int32_t finished = ready.back();
      ready.pop_back();
      state.progress.Finish(finished, [&](std::int32_t freed) {
        const PlanOp& next = state.rank.plan.ops[freed];
        if (next.kind == OpKind::kSend)
          Pump(rank, state.index->peer_of[freed]);
        else if (state.arrived[freed] || IsLocal(next.kind))
          ready.push_back(freed);
      });
    }
  }

  absl::StatusOr<SimResult> Result() {
    for (const RankState& state : ranks_) {
      if (!state.progress.complete()) {
        const PlanOp& op = state.rank.plan.ops[state.progress.FirstOpen()];
        return absl::InternalError(absl::StrCat(
            "the plans never end: rank ", state.rank.plan.rank,
            " waits for chunk ", op.chunk, " with rank ", op.peer));
      }
      result_.ends.push_back(state.end);
      result_.time = std::max(result_.time, state.end);
    }
    return std::move(result_);
  }

  const SimLinks& links_;
  std::vector<RankState> ranks_;
  std::vector<std::int64_t> free_at_;  // per link
  EventQueue<Event> events_;
  std::int64_t now_ = 0;
  SimResult result_;
};

}  // namespace

absl::StatusOr<SimResult> Simulate(std::vector<SimRank> ranks,
                                   const SimLinks& links) {
  std::vector<RankState> states;
  states.reserve(ranks.size());
  for (SimRank& rank : ranks) {
    PODSIM_ASSIGN_OR_RETURN(PlanIndex index, IndexPlan(rank.plan));
    PODSIM_CHECK(index.peers.size() == rank.paths.size());
    states.emplace_back(std::move(rank), std::move(index));
  }
  return Simulation(std::move(states), links).Run();
}

}  // namespace podsim
