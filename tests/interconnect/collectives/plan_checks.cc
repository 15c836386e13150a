#include "tests/interconnect/collectives/plan_checks.h"

#include <span>

#include "absl/strings/str_cat.h"

namespace podsim::testing {
namespace {

// What element `place` of `rank` is after a frame has carried it, which all
// elements of a shared result are but in a world of one.
Value Carried(int world, int rank, std::int64_t place) {
  const Value value = Initial(rank, place);
  return world == 1 ? value : Rounded(value);
}

// Element i of `rank`, which lies in `segment`; `first` is that of rank 0.
bool IsRight(const PlanRequest& request, int rank, int segment, std::int64_t i,
             const Value& value, const Value& first) {
  const int world = static_cast<int>(request.ring.size());
  const bool whole = value.shares == Everybody(world) && value.place == i;
  switch (request.collective) {
    case Collective::kAllReduce:
      return whole && value == first;
    case Collective::kReduceScatter:
      return segment != rank || whole;
    case Collective::kAllGather:
      return value == Carried(world, segment, i);
    case Collective::kBroadcast:
      return value == Carried(world, request.root, i);
    case Collective::kAllToAll: {
      const std::int64_t from = i + (rank - segment) * request.elements / world;
      return value == (segment == rank ? Initial(rank, i)
                                       : Carried(world, segment, from));
    }
    case Collective::kBarrier:
      return value == Initial(rank, i);
  }
  return false;
}

}  // namespace

std::string WhatIsWrong(const PlanRequest& request,
                        const std::vector<RankPlan>& plans, int in_flight,
                        std::uint32_t seed,
                        std::vector<std::vector<Value>>* results) {
  Interpreter interpreter(plans, in_flight, seed);
  if (!interpreter.Run()) return interpreter.error();
  const int world = static_cast<int>(plans.size());
  const std::span<const Value> first = interpreter.buffer(0);
  for (int rank = 0; rank < world; ++rank) {
    const std::span<const Value> buffer = interpreter.buffer(rank);
    for (int segment = 0; segment < world; ++segment) {
      const Range range = SegmentOf(plans[rank].elements, world, segment);
      for (std::int64_t i = range.begin; i < range.begin + range.count; ++i) {
        if (!IsRight(request, rank, segment, i, buffer[i], first[i])) {
          return absl::StrCat("rank ", rank, " has a wrong element ", i);
        }
      }
    }
    if (results != nullptr) {
      results->emplace_back(buffer.begin(), buffer.end());
    }
  }
  return "";
}

}  // namespace podsim::testing
