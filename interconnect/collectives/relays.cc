// Ops that conflict are ordered in the plan as they run, so what an op leaves
// is read by those that stand behind it and before the next writer.
#include "interconnect/collectives/relays.h"

#include <algorithm>
#include <tuple>

namespace podsim {
namespace {

bool IsReceive(OpKind kind) {
  return kind == OpKind::kReceiveReduce || kind == OpKind::kReceiveCopy;
}

// The one op that `op` waits for; -1: none, or several.
std::int32_t OnlyWait(const PlanOp& op) {
  if (op.after.count + op.after_also.count != 1) return -1;
  return op.after.count == 1 ? op.after.first : op.after_also.first;
}

// An op reads or writes these elements.
struct Touch {
  Range range;
  std::int32_t op = 0;
  bool operator<(const Touch& other) const {
    return std::tie(range.begin, range.count, op) <
           std::tie(other.range.begin, other.range.count, other.op);
  }
};

std::vector<Touch> TouchesOf(const RankPlan& plan) {
  std::vector<Touch> touches;
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    const PlanOp& op = plan.ops[i];
    const auto index = static_cast<std::int32_t>(i);
    touches.push_back({op.range, index});
    if (IsLocal(op.kind)) {
      touches.push_back({{op.source, op.range.count}, index});
    }
  }
  std::sort(touches.begin(), touches.end());
  return touches;
}

// Marks the receives among touches [first, end), which are all of one range
// that no other range meets.
void MarkPassing(const RankPlan& plan, const std::vector<Touch>& touches,
                 std::size_t first, std::size_t end,
                 std::vector<Relay>& relays) {
  for (std::size_t i = first; i + 2 < end; ++i) {
    Relay& relay = relays[touches[i].op];
    relay.passing = relay.send >= 0 && touches[i + 1].op == relay.send &&
                    plan.ops[touches[i + 2].op].kind == OpKind::kReceiveCopy;
  }
}

}  // namespace

std::vector<Relay> FindRelays(const RankPlan& plan) {
  std::vector<Relay> relays(plan.ops.size());
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    const PlanOp& op = plan.ops[i];
    const std::int32_t source = OnlyWait(op);
    if (op.kind != OpKind::kSend || source < 0) continue;
    const PlanOp& before = plan.ops[source];
    if (IsReceive(before.kind) && before.range == op.range &&
        relays[source].send < 0) {
      relays[source].send = static_cast<std::int32_t>(i);
    }
  }
  const std::vector<Touch> touches = TouchesOf(plan);
  std::int64_t reached = 0;  // where the ranges so far end
  for (std::size_t first = 0, end = 0; first < touches.size(); first = end) {
    const Range& range = touches[first].range;
    while (end < touches.size() && touches[end].range == range) ++end;
    const std::int64_t stop = range.begin + range.count;
    const bool alone =
        range.begin >= reached &&
        (end == touches.size() || touches[end].range.begin >= stop);
    if (alone) MarkPassing(plan, touches, first, end, relays);
    reached = std::max(reached, stop);
  }
  return relays;
}

}  // namespace podsim
