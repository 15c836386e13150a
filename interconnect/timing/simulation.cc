// Every op has its time: of the last thing that it waits for. What only plans
// put in order is followed at once, as far as it goes, with its time. Where
// several ways share a link, what comes to it lines up in a queue, earliest
// first, and is carried when nothing earlier can come any more: whatever
// follows from a piece is later than the piece.
#include "interconnect/timing/simulation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "interconnect/timing/event_queue.h"

namespace podsim {
namespace {

struct RankState {
  explicit RankState(const SimRank& of)
      : rank(of),
        progress(rank.plan->index),
        time(rank.plan->ops.size(), 0),
        arrived(rank.plan->ops.size(), false),
        turn(rank.paths.size(), 0) {}

  const SimRank& rank;
  PlanProgress progress;
  std::vector<std::int64_t> time;  // of each op, as far as it is known
  std::vector<bool> arrived;
  std::vector<std::int64_t> turn;  // of each peer's last send
  std::int64_t end = 0;

  const PlanIndex& index() const { return rank.plan->index; }
  const SimOp& op(std::int32_t number) const { return rank.plan->ops[number]; }
  const SimPath& PathOf(std::int32_t op) const {
    return rank.paths[index().peer_of[op]];
  }
};

// What decides between pieces that reach a link at the same time; smaller is
// sooner.
constexpr int kPlaceBits = 10;
constexpr int kSendBits = 21;
constexpr std::uint64_t kOneHop = std::uint64_t{1}
                                  << (kSendBits + 3 * kPlaceBits);

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

// A piece on its way, before one of its links. What it takes to send it on is
// here and not with its sender, whom memory has far away.
struct Event {
  std::int64_t time = 0;  // picoseconds
  std::uint64_t key = 0;
  std::int64_t bytes = 0;
  std::int64_t duration = 0;     // on the slowest link so far
  const SimHop* hops = nullptr;  // those that are left
  std::int32_t rank = 0;         // the sender
  std::int32_t op = 0;           // its send
  std::int32_t hop = 0;          // how many links lie behind
  std::int32_t left = 0;         // and how many ahead

  // Keys are alike only where a detour leads a piece to another's place.
  bool IsBefore(const Event& other) const {
    return std::tie(key, rank, op) < std::tie(other.key, other.rank, other.op);
  }
};

// A piece that is there, or whose send is done.
struct Outcome {
  std::int64_t time = 0;
  std::int32_t rank = 0;
  std::int32_t op = 0;
  bool arrived = false;
};

struct LinkState {
  std::int64_t free = 0;  // from when on
  std::int64_t sent = 0;  // bytes
  std::int64_t busy = 0;
};

// The links that more than one way leads over.
std::vector<bool> SharedLinks(const std::vector<SimRank>& ranks, int links) {
  std::vector<bool> used(links, false);
  std::vector<bool> shared(links, false);
  for (const SimRank& rank : ranks) {
    for (const SimPath& path : rank.paths) {
      for (const SimHop& hop : path.hops) {
        if (used[hop.link]) shared[hop.link] = true;
        used[hop.link] = true;
      }
    }
  }
  return shared;
}

class Simulation {
 public:
  Simulation(const std::vector<SimRank>& ranks, const SimLinks& links,
             std::vector<SimCrossing>* crossings)
      : links_(links),
        crossings_(crossings),
        shared_(SharedLinks(ranks, links.count)),
        states_(links.count) {
    ranks_.reserve(ranks.size());
    for (const SimRank& rank : ranks) {
      PODSIM_CHECK(rank.plan->index.peers.size() == rank.paths.size());
      ranks_.emplace_back(rank);
    }
  }

  absl::StatusOr<SimResult> Run() {
    for (std::int32_t rank = 0; rank < size(); ++rank) {
      const RankState& of = ranks_[rank];
      for (const std::int32_t op : of.index().first_local) Finish(rank, op);
      const auto peers = static_cast<std::int32_t>(of.rank.paths.size());
      for (std::int32_t peer = 0; peer < peers; ++peer) Pump(rank, peer);
      Follow();
    }
    while (!lines_.empty()) {
      CrossLink(lines_.Take());
      Follow();
    }
    return Result();
  }

 private:
  std::int32_t size() const { return static_cast<std::int32_t>(ranks_.size()); }

  // All that is decided.
  void Follow() {
    while (!outcomes_.empty()) {
      const Outcome outcome = outcomes_.back();
      outcomes_.pop_back();
      if (outcome.arrived)
        Arrive(outcome);
      else
        FinishAt(outcome.rank, outcome.op, outcome.time);
    }
  }

  std::int64_t DurationOn(std::int64_t bytes, std::uint32_t link) const {
    const double rate = links_.rates.empty() ? 1 : links_.rates[link];
    return TransmissionOf(bytes, links_.bytes_per_second * rate);
  }

  void LineUp(Event event) {
    if (!shared_[event.hops->link]) return CrossLink(event);
    const RankState& sender = ranks_[event.rank];
    event.key = LineKey(event.hop, sender.op(event.op).send,
                        sender.PathOf(event.op).SeenAt(event.hop));
    lines_.Push(event);
  }

  // A piece behind a slower link comes no faster than that let it.
  void CrossLink(Event event) {
    const std::uint32_t link = event.hops->link;
    if (event.hop == 0)
      event.duration = DurationOn(event.bytes, link);
    else if (!links_.rates.empty())
      event.duration = std::max(event.duration, DurationOn(event.bytes, link));
    LinkState& state = states_[link];
    const std::int64_t begin = std::max(event.time, state.free);
    const std::int64_t end = begin + event.duration;
    state.free = end;
    state.sent += event.bytes;
    state.busy += event.duration;
    ++result_.events;
    if (crossings_ != nullptr)
      crossings_->push_back({.link = static_cast<std::int32_t>(link),
                             .rank = event.rank,
                             .bytes = event.bytes,
                             .begin = SimTime::Picoseconds(begin),
                             .end = SimTime::Picoseconds(end)});
    if (event.hop == 0) outcomes_.push_back({end, event.rank, event.op});
    const std::int64_t hop = links_.hop.picoseconds();
    if (event.left == 1) {
      outcomes_.push_back({end + hop, event.rank, event.op, true});
      return;
    }
    const bool turns = event.hops[1].turned != event.hops[0].turned;
    event.time = begin + hop;
    ++event.hops;
    ++event.hop;
    --event.left;
    if (turns || !shared_[event.hops->link]) return LineUp(event);
    event.key += kOneHop;
    lines_.Push(event);
  }

  void Arrive(const Outcome& outcome) {
    const RankState& sender = ranks_[outcome.rank];
    const SimPath& path = sender.PathOf(outcome.op);
    RankState& receiver = ranks_[path.to];
    const std::int32_t receive =
        receiver.index().FindReceive(path.from, sender.op(outcome.op).chunk);
    if (receive < 0) return;  // some op then waits for ever: Result says so
    receiver.arrived[receive] = true;
    receiver.end = std::max(receiver.end, outcome.time);
    receiver.time[receive] = std::max(receiver.time[receive], outcome.time);
    if (receiver.progress.ready(receive)) Finish(path.to, receive);
  }

  void Pump(std::int32_t rank, std::int32_t peer) {
    RankState& state = ranks_[rank];
    for (std::int32_t op; (op = state.progress.NextSend(peer)) >= 0;) {
      state.progress.BeginSend(peer);
      std::int64_t& turn = state.turn[peer];
      turn = std::max(turn, state.time[op]);
      const SimPath& path = state.rank.paths[peer];
      LineUp({.time = turn,
              .bytes = state.op(op).bytes,
              .hops = path.hops.data(),
              .rank = rank,
              .op = op,
              .left = static_cast<std::int32_t>(path.hops.size())});
    }
  }

  void FinishAt(std::int32_t rank, std::int32_t op, std::int64_t time) {
    ranks_[rank].time[op] = std::max(ranks_[rank].time[op], time);
    Finish(rank, op);
  }

  void Finish(std::int32_t rank, std::int32_t op) {
    RankState& state = ranks_[rank];
    std::vector<std::int32_t> ready = {op};
    while (!ready.empty()) {
      const std::int32_t finished = ready.back();
      ready.pop_back();
      const std::int64_t time = state.time[finished];
      const PlanIndex& index = state.index();
      for (std::int32_t i = index.first_dependent[finished];
           i < index.first_dependent[finished + 1]; ++i) {
        std::int64_t& other = state.time[index.dependents[i]];
        other = std::max(other, time);
      }
      state.progress.Finish(finished, [&](std::int32_t freed) {
        const std::int32_t peer = index.peer_of[freed];
        if (state.op(freed).send >= 0)
          Pump(rank, peer);
        else if (state.arrived[freed] || peer < 0)
          ready.push_back(freed);
      });
    }
  }

  absl::StatusOr<SimResult> Result() {
    for (const RankState& state : ranks_) {
      if (!state.progress.complete()) {
        const std::int32_t open = state.progress.FirstOpen();
        const std::int32_t peer = state.index().peer_of[open];
        const std::int32_t self = state.rank.plan->rank;
        return absl::InternalError(absl::StrCat(
            "the plans never end: rank ", self, " waits for chunk ",
            state.op(open).chunk, " with rank ",
            peer < 0 ? self : state.index().peers[peer].rank));
      }
      result_.ends.push_back(SimTime::Picoseconds(state.end));
      result_.time = std::max(result_.time, result_.ends.back());
    }
    for (const LinkState& link : states_) {
      result_.sent.push_back(link.sent);
      result_.busy.push_back(SimTime::Picoseconds(link.busy));
    }
    return std::move(result_);
  }

  const SimLinks& links_;
  std::vector<SimCrossing>* const crossings_;
  std::vector<RankState> ranks_;
  std::vector<bool> shared_;  // by link
  std::vector<LinkState> states_;
  EventQueue<Event> lines_;  // before shared links
  std::vector<Outcome> outcomes_;
  SimResult result_;
};

}  // namespace

std::int64_t TransmissionOf(std::int64_t bytes, double bytes_per_second) {
  constexpr double kMost = 1e17;  // PriceCollective refuses long before
  const double picoseconds =
      static_cast<double>(bytes) / bytes_per_second * 1e12;
  return std::max<std::int64_t>(1, std::llround(std::min(picoseconds, kMost)));
}

absl::StatusOr<SimPlan> SimPlanOf(const RankPlan& plan, int element_bytes) {
  SimPlan result = {.rank = plan.rank};
  PODSIM_ASSIGN_OR_RETURN(result.index, IndexPlan(plan));
  result.ops.reserve(plan.ops.size());
  std::int32_t sends = 0;
  for (const PlanOp& op : plan.ops)
    result.ops.push_back({op.range.count * element_bytes, op.chunk,
                          op.kind == OpKind::kSend ? sends++ : -1});
  return result;
}

absl::StatusOr<SimResult> Simulate(const std::vector<SimRank>& ranks,
                                   const SimLinks& links,
                                   std::vector<SimCrossing>* crossings) {
  return Simulation(ranks, links, crossings).Run();
}

}  // namespace podsim
