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

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "base/units.h"
#include "interconnect/collectives/plan.h"
#include "interconnect/topology/grid.h"

namespace podsim {

// A rank of the simulation and the ways of its pieces. One rank may stand for
// many that do the same: then a link stands for theirs likewise, and what the
// others send it, it sends itself.
struct SimPath {
  std::vector<std::int32_t> links;  // of the simulation
  std::int32_t to = 0;              // the rank whose plan receives
  std::int32_t from = 0;            // the sender as that plan names it
  // Where the receiver is, seen from the sender.
  Offset steps = {};
  // For each link, the axes along which that is turned round there; empty:
  // none.
  std::vector<std::array<bool, kMostAxes>> turned;

  Offset SeenAt(std::int32_t hop) const {
    return turned.empty() ? steps : Mirrored(turned[hop], steps);
  }
};
struct SimRank {
  RankPlan plan;
  std::vector<SimPath> paths;  // by peer, ascending in the plan's numbers
};

struct SimLinks {
  int count = 0;
  double bytes_per_second = 0;
  SimTime hop;
  std::vector<double> rates;  // of each link, a part of that; empty: all 1
  int element_bytes = 4;
};

struct SimResult {
  SimTime time;                    // until the last op of the last rank
  std::vector<SimTime> ends;       // of each rank
  std::vector<std::int64_t> sent;  // bytes over each link
  std::vector<SimTime> busy;       // of each link
  std::int64_t events = 0;
};

// REQUIRES: links.rates are above 0 where a path leads.
// Errors: INVALID_ARGUMENT (a plan that is not sound),
//   INTERNAL (the plans wait for each other for ever).
absl::StatusOr<SimResult> Simulate(std::vector<SimRank> ranks,
                                   const SimLinks& links);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TIMING_SIMULATION_H_
