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

bool Inside(const Range& range, std::int64_t end) {
  return range.begin >= 0 && range.count >= 1 &&
         range.begin <= end - range.count;
}

// Wholly in the caller's buffer, or wholly behind it.
bool Straddles(const Range& range, std::int64_t elements) {
  return range.begin < elements && range.begin + range.count > elements;
}

// Earlier ops only.
bool IsBefore(const OpSpan& span, std::int32_t op) {
  return span.count == 0 ||
         (span.first >= 0 && span.count > 0 && span.first <= op - span.count);
}

bool Overlap(const OpSpan& a, const OpSpan& b) {
  return a.count > 0 && b.count > 0 && a.first < b.first + b.count &&
         b.first < a.first + a.count;
}

std::string NameOf(const OpSpan& span) {
  return span.count == 0 ? "none" : absl::StrCat(span.first, "+", span.count);
}

absl::Status CheckOp(const RankPlan& plan, std::int32_t i) {
  const PlanOp& op = plan.ops[i];
  const bool local = IsLocal(op.kind);
  const std::int64_t end = plan.elements + plan.scratch;
  std::string wrong;
  if (local ? op.peer != -1
            : op.peer < 0 || op.peer >= plan.world || op.peer == plan.rank) {
    wrong = absl::StrCat("peer ", op.peer, " of world ", plan.world);
  } else if (!Inside(op.range, end) || Straddles(op.range, plan.elements)) {
    wrong = absl::StrCat("range ", op.range.begin, "+", op.range.count, " of ",
                         end, " elements");
  } else if (const Range source{op.source, op.range.count};
             local &&
             (!Inside(source, end) || Straddles(source, plan.elements))) {
    wrong = absl::StrCat("source ", op.source, "+", op.range.count, " of ", end,
                         " elements");
  } else if (!IsBefore(op.after, i) || !IsBefore(op.after_also, i) ||
             Overlap(op.after, op.after_also)) {
    wrong = absl::StrCat("waits for ops ", NameOf(op.after), " and ",
                         NameOf(op.after_also));
  }
  if (wrong.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("plan of rank ", plan.rank, ", op ", i, ": ", wrong));
}

void IndexPeers(const RankPlan& plan, PlanIndex& index) {
  std::vector<std::int32_t> ranks;
  for (const PlanOp& op : plan.ops) {
    if (op.peer >= 0) ranks.push_back(op.peer);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  for (std::int32_t rank : ranks) index.peers.push_back({rank, 0, {}});
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    if (plan.ops[i].peer < 0) {
      index.peer_of.push_back(-1);
      continue;
    }
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
      for (const OpSpan& span : {plan.ops[i].after, plan.ops[i].after_also}) {
        for (std::int32_t k = 0; k < span.count; ++k) fn(span.first + k, i);
      }
    }
  };
  for_each([&index](std::int32_t before, std::size_t i) {
    ++index.first_dependent[before + 1];
    ++index.waits[i];
  });
  for (std::size_t i = 0; i < ops; ++i) {
    index.first_dependent[i + 1] += index.first_dependent[i];
    if (IsLocal(plan.ops[i].kind) && index.waits[i] == 0) {
      index.first_local.push_back(static_cast<std::int32_t>(i));
    }
  }
  index.dependents.resize(index.first_dependent[ops]);
  std::vector<std::int32_t> next = index.first_dependent;
  for_each([&](std::int32_t before, std::size_t i) {
    index.dependents[next[before]++] = static_cast<std::int32_t>(i);
  });
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
  index.name = plan.name;
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    const PlanOp& op = plan.ops[i];
    PODSIM_RETURN_IF_ERROR(CheckOp(plan, static_cast<std::int32_t>(i)));
    if (op.kind == OpKind::kSend || IsLocal(op.kind)) continue;
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
