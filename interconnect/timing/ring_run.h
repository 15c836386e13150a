// Rings of neighbours without a queue of events: each chip does what the one
// before it did, a hop later, so that their times are a recurrence. Pure.
#ifndef PODSIM_INTERCONNECT_TIMING_RING_RUN_H_
#define PODSIM_INTERCONNECT_TIMING_RING_RUN_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "interconnect/collectives/chip_plans.h"
#include "interconnect/timing/network.h"

namespace podsim {

// One way round: the chips in their order, and from each the wire to the next.
struct RingSide {
  std::vector<int> chips;
  std::vector<std::int32_t> links;  // of the slice
};
using RingWay = std::array<RingSide, 2>;  // with the ring's order, against it

// Where the request's algorithm is a ring of three chips or more in which each
// step is one wire that is not cut.
std::optional<RingWay> RingWayOf(const ChipRequest& request,
                                 const Network& network);

// What every chip of a ring sends one way.
struct RingSends {
  std::vector<std::int64_t> bytes;                // in their order
  std::map<std::int64_t, std::int64_t> count_of;  // by bytes
  std::size_t at_once = 0;                        // that wait for nothing
};

struct RingPlan {
  RingWay way;
  std::array<std::vector<double>, 2> rates;  // parts of a sound link's
  std::array<RingSends, 2> sends;
  std::optional<std::size_t> root;  // of a broadcast: its place in way[0]
  int chips = 0;                    // of the grid
};

// Errors: those of MakeChipPlan.
absl::StatusOr<RingPlan> PlanRing(const ChipRequest& request,
                                  const Network& network, RingWay way,
                                  int element_bytes);

// The same times as a simulation of the ring's plans, to the picosecond.
NetworkRun RunRing(const RingPlan& plan, const LinkFigures& links);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TIMING_RING_RUN_H_
