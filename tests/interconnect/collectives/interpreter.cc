#include "tests/interconnect/collectives/interpreter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

constexpr std::uint64_t kRounded = 1;  // in Value::bits

// Spreads the bits of a number over all 64 (the finish of MurmurHash3).
std::uint64_t Mix(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdU;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53U;
  return x ^ (x >> 33);
}

Value Combined(const Value& left, const Value& right) {
  return {left.shares + right.shares,
          Mix(Mix(left.bits) + 3 * right.bits) & ~kRounded,
          left.place == right.place ? left.place : -1};
}

// What scratch holds at the start: nothing that any sum may contain.
Value Garbage(std::uint32_t random) {
  return {Mix(random), Mix(random + 1) & ~kRounded, -2};
}

}  // namespace

Value Initial(int rank, std::int64_t place) {
  const std::uint64_t name = static_cast<std::uint64_t>(place) * 64 + rank;
  return {Share(rank), Mix(name) & ~kRounded, place};
}

Interpreter::Interpreter(const std::vector<RankPlan>& plans, int in_flight,
                         std::uint32_t seed)
    : plans_(plans),
      in_flight_(in_flight),
      random_(seed),
      sends_end_(static_cast<SendsEnd>(random_() % 3)) {
  for (const RankPlan& plan : plans) {
    auto index = IndexPlan(plan);
    EXPECT_THAT(index, IsOk());
    indexes_.push_back(*std::move(index));
    std::vector<Value>& memory = memory_.emplace_back();
    for (std::int64_t i = 0; i < plan.elements; ++i) {
      memory.push_back(Initial(plan.rank, i));
    }
    memory.resize(plan.elements + plan.scratch, Garbage(random_()));
    std::int64_t& longest = longest_send_.emplace_back(0);
    for (const PlanOp& op : plan.ops) {
      if (op.kind == OpKind::kSend) longest = std::max(longest, op.range.count);
    }
  }
  for (const PlanIndex& index : indexes_) progress_.emplace_back(index);
  reading_.resize(plans.size());
  waiting_.resize(plans.size());
  sent_.resize(plans.size());
  pairs_.resize(plans.size() * plans.size());
}

std::int64_t Interpreter::sent() const {
  return std::accumulate(sent_.begin(), sent_.end(), std::int64_t{0});
}

bool Interpreter::Run() {
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    const int rank = static_cast<int>(i);
    for (const std::int32_t op : indexes_[i].first_local) {
      locals_.push_back({rank, op});
    }
    PostSends(rank);
  }
  while (error_.empty() && Step()) {
  }
  for (const PlanProgress& progress : progress_) {
    if (!progress.complete() && error_.empty()) error_ = "stuck";
  }
  return error_.empty();
}

// One thing happens, if any can.
bool Interpreter::Step() {
  const auto take = [](auto& from, std::size_t pick) {
    const auto taken = from[pick];
    from[pick] = from.back();
    from.pop_back();
    return taken;
  };
  const std::size_t sooner = deliveries_.size() + locals_.size();
  const bool wait =
      sends_end_ == SendsEnd::kLate && sooner > 0 && !no_frame_waits_;
  const std::size_t all = sooner + (wait ? 0 : send_dones_.size());
  if (all == 0) return false;
  const bool hurry = no_frame_waits_ && all > deliveries_.size();
  const std::size_t first = hurry ? deliveries_.size() : 0;
  const std::size_t pick = first + random_() % (all - first);
  if (pick < deliveries_.size()) {
    const Delivery delivery = take(deliveries_, pick);
    Deliver(delivery.from, delivery.to);
  } else if (pick < sooner) {
    const OpOf local = take(locals_, pick - deliveries_.size());
    Combine(local.rank, local.op);
  } else {
    const OpOf send = take(send_dones_, pick - sooner);
    EndSend(send.rank, send.op);
  }
  return true;
}

void Interpreter::PostSends(int rank) {
  if (rank == held_) return;
  const PlanIndex& index = indexes_[rank];
  for (std::size_t i = 0; i < index.peers.size(); ++i) {
    const auto peer = static_cast<std::int32_t>(i);
    Pair& pair = PairOf(rank, index.peers[i].rank);
    std::int32_t op = -1;
    while (pair.in_flight < in_flight_ &&
           (op = progress_[rank].NextSend(peer)) >= 0) {
      progress_[rank].BeginSend(peer);
      Post(rank, op);
    }
  }
}

void Interpreter::Post(int rank, std::int32_t op) {
  const PlanOp& what = plans_[rank].ops[op];
  Pair& pair = PairOf(rank, what.peer);
  ++pair.in_flight;
  sent_[rank] += what.range.count;
  reading_[rank].emplace(what.range.begin, op);
  if (what.keep_rounded) {
    for (std::int64_t i = 0; i < what.range.count; ++i) {
      Value& mine = memory_[rank][what.range.begin + i];
      mine = Rounded(mine);
    }
  }
  Frame frame = {.from = rank, .op = op};
  if (sends_end_ == SendsEnd::kSomeEarly && random_() % 2 == 0) {
    frame.early = true;
    const auto first = memory_[rank].begin() + what.range.begin;
    frame.copied.assign(first, first + what.range.count);
    send_dones_.push_back({rank, op});
  }
  pair.frames.push_back(std::move(frame));
  if (pair.frames.size() == 1) deliveries_.push_back({rank, what.peer});
}

void Interpreter::Deliver(int from, int to) {
  if (to == held_) return;
  Pair& pair = PairOf(from, to);
  Frame frame = std::move(pair.frames.front());
  pair.frames.pop_front();
  if (!pair.frames.empty()) deliveries_.push_back({from, to});
  const PlanOp& send = plans_[from].ops[frame.op];
  const std::int32_t op = indexes_[to].FindReceive(from, send.chunk);
  if (op < 0 || plans_[to].ops[op].range.count != send.range.count ||
      progress_[to].done(op) || waiting_[to].count(op) > 0) {
    error_ =
        absl::StrCat("rank ", to, " does not expect chunk ", send.chunk, " of ",
                     send.range.count, " elements from rank ", from);
    return;
  }
  // What waits for an earlier op keeps its credit, as in the executor.
  waiting_[to][op] = std::move(frame);
  if (progress_[to].ready(op)) {
    Consume(to, op);
  } else if (no_frame_waits_) {
    error_ = absl::StrCat("rank ", to, " cannot take chunk ", send.chunk,
                          " from rank ", from, " before other frames");
  }
}

void Interpreter::Consume(int to, std::int32_t op) {
  const Frame frame = std::move(waiting_[to].extract(op).mapped());
  const PlanOp& what = plans_[to].ops[op];
  CheckNotRead(to, what.range);
  const Value* const sent =
      frame.early
          ? frame.copied.data()
          : &memory_[frame.from][plans_[frame.from].ops[frame.op].range.begin];
  for (std::int64_t i = 0; i < what.range.count; ++i) {
    Value& mine = memory_[to][what.range.begin + i];
    const Value received = Rounded(sent[i]);
    mine = what.kind == OpKind::kReceiveReduce ? Combined(received, mine)
                                               : received;
  }
  --PairOf(frame.from, to).in_flight;
  if (!frame.early) send_dones_.push_back({frame.from, frame.op});
  Finish(to, op);
  PostSends(frame.from);
}

void Interpreter::Combine(int rank, std::int32_t op) {
  const PlanOp& what = plans_[rank].ops[op];
  CheckNotRead(rank, what.range);
  for (std::int64_t i = 0; i < what.range.count; ++i) {
    Value& mine = memory_[rank][what.range.begin + i];
    const Value& other = memory_[rank][what.source + i];
    mine = what.kind == OpKind::kReduce ? Combined(other, mine) : other;
  }
  Finish(rank, op);
}

void Interpreter::CheckNotRead(int rank, const Range& range) {
  const auto end = reading_[rank].lower_bound(range.begin + range.count);
  for (auto at = reading_[rank].upper_bound(range.begin - longest_send_[rank]);
       at != end; ++at) {
    const PlanOp& send = plans_[rank].ops[at->second];
    if (send.range.begin + send.range.count <= range.begin) continue;
    error_ = absl::StrCat("rank ", rank, " writes what chunk ", send.chunk,
                          " to rank ", send.peer, " still sends");
  }
}

void Interpreter::EndSend(int rank, std::int32_t op) {
  auto at = reading_[rank].lower_bound(plans_[rank].ops[op].range.begin);
  while (at->second != op) ++at;
  reading_[rank].erase(at);
  Finish(rank, op);
}

void Interpreter::Finish(int rank, std::int32_t op) {
  std::vector<std::int32_t> arrived;
  progress_[rank].Finish(op, [&](std::int32_t freed) {
    if (IsLocal(plans_[rank].ops[freed].kind)) {
      locals_.push_back({rank, freed});
    } else if (waiting_[rank].count(freed) > 0) {
      arrived.push_back(freed);
    }
  });
  for (const std::int32_t next : arrived) Consume(rank, next);
  PostSends(rank);
}

}  // namespace podsim::testing
