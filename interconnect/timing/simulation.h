// Runs the plans of a collective over the links of a slice, event by event:
// what the real pod's network would take. Pure and deterministic.
//
// A link is one direction of one wire. It carries one piece at a time, first
// come first served; pieces that come at the same time go in the order of how
// far they have come, of their sender's plan, and of their sender's relative
// place: a rule that looks the same from every chip, and in a mesh from every
// chip's mirror image. A piece that goes on
// through a chip is cut through: its head moves on after one hop's time, so
// further links cost their latency and not its length again. Sums and copies
// take no time.
#ifndef PODSIM_INTERCONNECT_TIMING_SIMULATION_H_
#define PODSIM_INTERCONNECT_TIMING_SIMULATION_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "base/units.h"
#include "interconnect/collectives/plan.h"
#include "interconnect/collectives/plan_index.h"
#include "interconnect/topology/grid.h"

namespace podsim {

// An op as the simulation sees it.
struct SimOp {
  std::int64_t bytes = 0;
  std::uint32_t chunk = 0;
  std::int32_t send = -1;  // which send of the plan it is; -1: none
};

// A link of a way, and the axes along which its chip is turned round for the
// rule by which pieces line up: bit i for axis i.
struct SimHop {
  std::uint32_t link : 29 = 0;  // of the simulation
  std::uint32_t turned : 3 = 0;
};

// The way of a rank's pieces to one peer. One rank may stand for many that do
// the same: then a link stands for theirs likewise, and what the others send
// it, it sends itself.
struct SimPath {
  std::vector<SimHop> hops;
  std::int32_t to = 0;    // the rank whose plan receives
  std::int32_t from = 0;  // the sender as that plan names it
  // Where the receiver is, seen from the sender.
  Offset steps = {};

  Offset SeenAt(std::int32_t hop) const {
    Offset seen = steps;
    for (int axis = 0; axis < kMostAxes; ++axis)
      if (hops[hop].turned >> axis & 1) seen[axis] = -seen[axis];
    return seen;
  }
};

// A plan as the simulation reads it.
struct SimPlan {
  std::int32_t rank = 0;  // whose it is, for messages
  std::vector<SimOp> ops;
  PlanIndex index;
};
// Errors: those of IndexPlan.
absl::StatusOr<SimPlan> SimPlanOf(const RankPlan& plan, int element_bytes);

// A rank of the simulation: a plan, which ranks that do the same share, and the
// rank's own ways to the plan's peers.
struct SimRank {
  std::shared_ptr<const SimPlan> plan;
  std::vector<SimPath> paths;  // as plan->index.peers
};

struct SimLinks {
  int count = 0;
  double bytes_per_second = 0;
  SimTime hop;
  std::vector<double> rates;  // of each link, a part of that; empty: all 1
};

// How long a link is taken by a piece, in picoseconds.
std::int64_t TransmissionOf(std::int64_t bytes, double bytes_per_second);

struct SimResult {
  SimTime time;                    // until the last op of the last rank
  std::vector<SimTime> ends;       // of each rank
  std::vector<std::int64_t> sent;  // bytes over each link
  std::vector<SimTime> busy;       // of each link
  std::int64_t events = 0;
};

// A piece on a link, which it takes from `begin` to `end`.
struct SimCrossing {
  std::int32_t link = 0;
  std::int32_t rank = 0;  // who sent it first
  std::int64_t bytes = 0;
  SimTime begin;
  SimTime end;
};

// `crossings`: where given, gets each of them, SimResult::events in all, those
// of a link in order.
// REQUIRES: links.rates are above 0 where a path leads; a path for each peer of
//   a rank's plan.
// Errors: INTERNAL (the plans wait for each other for ever).
absl::StatusOr<SimResult> Simulate(
    const std::vector<SimRank>& ranks, const SimLinks& links,
    std::vector<SimCrossing>* crossings = nullptr);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TIMING_SIMULATION_H_
