// Checks a plan once and turns it into tables for quick lookup.
#include "interconnect/collectives/plan_index.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

std::uint64_t KeyOf(std::int32_t peer, std::uint32_t chunk) {
  return static_cast<std::uint64_t>(peer) << 32 | chunk;
}

absl::Status CheckOp(const RankPlan& plan, std::int32_t i) {
  const PlanOp& op = plan.ops[i];
  std::string wrong;
  if (op.peer < 0 || op.peer >= plan.world || op.peer == plan.rank) {
    wrong = absl::StrCat("peer ", op.peer, " of world ", plan.world);
  } else if (op.range.begin < 0 || op.range.count < 1 ||
             op.range.begin > plan.elements - op.range.count) {
    wrong = absl::StrCat("range ", op.range.begin, "+", op.range.count, " of ",
                         plan.elements, " elements");
  } else if (op.after < -1 || op.after >= i || op.after_also < -1 ||
             op.after_also >= i ||
             (op.after >= 0 && op.after == op.after_also)) {
    wrong = absl::StrCat("waits for ops ", op.after, " and ", op.after_also);
  }
  if (wrong.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("plan of rank ", plan.rank, ", op ", i, ": ", wrong));
}

void IndexPeers(const RankPlan& plan, PlanIndex& index) {
  std::vector<std::int32_t> ranks;
  for (const PlanOp& op : plan.ops) ranks.push_back(op.peer);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  for (std::int32_t rank : ranks) index.peers.push_back({rank, 0, {}});
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    const auto at =
        std::lower_bound(ranks.begin(), ranks.end(), plan.ops[i].peer);
    PlanIndex::Peer& peer = index.peers[at - ranks.begin()];
    ++peer.ops;
    if (plan.ops[i].kind == OpKind::kSend) {
      peer.sends.push_back(static_cast<std::int32_t>(i));
    }
    index.peer_of.push_back(static_cast<std::int32_t>(at - ranks.begin()));
  }
}

void IndexDependents(const RankPlan& plan, PlanIndex& index) {
  const std::size_t ops = plan.ops.size();
  index.waits.assign(ops, 0);
  index.first_dependent.assign(ops + 1, 0);
  const auto for_each = [&plan, ops](auto&& fn) {
    for (std::size_t i = 0; i < ops; ++i) {
      if (plan.ops[i].after >= 0) fn(plan.ops[i].after, i);
      if (plan.ops[i].after_also >= 0) fn(plan.ops[i].after_also, i);
    }
  };
  for_each([&index](std::int32_t before, std::size_t i) {
    ++index.first_dependent[before + 1];
    ++index.waits[i];
  });
  for (std::size_t i = 0; i < ops; ++i) {
    index.first_dependent[i + 1] += index.first_dependent[i];
  }
  index.dependents.resize(index.first_dependent[ops]);
  std::vector<std::int32_t> next = index.first_dependent;
  for_each([&](std::int32_t before, std::size_t i) {
    index.dependents[next[before]++] = static_cast<std::int32_t>(i);
  });
}

const char* NameOf(const RankPlan& plan) {
  bool reduces = false;
  bool copies = false;
  for (const PlanOp& op : plan.ops) {
    reduces = reduces || op.kind == OpKind::kReceiveReduce;
    copies = copies || op.kind == OpKind::kReceiveCopy;
  }
  if (reduces == copies) return "all-reduce";
  return reduces ? "reduce-scatter" : "all-gather";
}

}  // namespace

std::int32_t PlanIndex::FindReceive(std::int32_t peer,
                                    std::uint32_t chunk) const {
  const Receive wanted{KeyOf(peer, chunk), 0};
  const auto at = std::lower_bound(receives.begin(), receives.end(), wanted);
  return at != receives.end() && at->key == wanted.key ? at->op : -1;
}

absl::StatusOr<PlanIndex> IndexPlan(const RankPlan& plan) {
  PlanIndex index;
  index.name = NameOf(plan);
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    const PlanOp& op = plan.ops[i];
    PODSIM_RETURN_IF_ERROR(CheckOp(plan, static_cast<std::int32_t>(i)));
    if (op.kind == OpKind::kSend) continue;
    index.receives.push_back(
        {KeyOf(op.peer, op.chunk), static_cast<std::int32_t>(i)});
  }
  std::sort(index.receives.begin(), index.receives.end());
  for (std::size_t i = 1; i < index.receives.size(); ++i) {
    if (index.receives[i - 1].key != index.receives[i].key) continue;
    const PlanOp& op = plan.ops[index.receives[i].op];
    return absl::InvalidArgumentError(
        absl::StrCat("plan of rank ", plan.rank, " receives chunk ", op.chunk,
                     " from rank ", op.peer, " twice"));
  }
  IndexPeers(plan, index);
  IndexDependents(plan, index);
  return index;
}

}  // namespace podsim
