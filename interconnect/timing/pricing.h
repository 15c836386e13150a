// What the real pod's network would take for a collective: an event-driven
// simulation that runs the collective's plans over the links of a torus.
//
//   PODSIM_ASSIGN_OR_RETURN(SimTime time, PriceAllReduce(slice, 25'600'000));
//
// The plans are those of interconnect/collectives, with chips as ranks. A chunk
// takes its route link by link, stored and forwarded; a link carries one chunk
// at a time, first come first served. Sums and copies take no time. All pure
// and deterministic; docs/timing-model.md has the equations and the errors.
#ifndef PODSIM_INTERCONNECT_TIMING_PRICING_H_
#define PODSIM_INTERCONNECT_TIMING_PRICING_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "base/units.h"
#include "interconnect/collectives/plan.h"
#include "interconnect/timing/torus.h"

namespace podsim {

// The time until the last op of the last rank is done. plans[i] is rank i's;
// rank i is chip i.
// Errors: INVALID_ARGUMENT (not one sound plan per chip; no bandwidth),
//   INTERNAL (the plans wait for each other for ever).
absl::StatusOr<SimTime> PriceCollective(const std::vector<RankPlan>& plans,
                                        const TorusModel& torus);

// The same for a ring all-reduce in which each hop is one link: every rank then
// does the same at the same time, so the plan of one rank, fed with its own
// frames, gives the time of all, in O(W) instead of O(W^2).
// Equal to PriceCollective of the plans when the ranks divide the elements.
// REQUIRES: RingOfNeighbours(options.order, torus).
absl::StatusOr<SimTime> PriceUniformRing(const RingOptions& options,
                                         const TorusModel& torus);

// Each position of `order` is one link away from the next, cyclically.
bool RingOfNeighbours(const std::vector<int>& order, const TorusModel& torus);

// How a segment is cut for the real pod. Not published: assumed.
struct ChunkRule {
  std::int64_t bytes = 65536;
  std::int64_t most_per_segment = 16;  // keeps the simulation of GiBs short
};
RingOptions ChipRingOptions(const Slice& slice, std::int64_t elements,
                            const ChunkRule& rule = {});

// A ring all-reduce of `elements` gradients of each chip over all chips of the
// slice, on ChipRing(slice). Elements are rounded up to a multiple of the
// chips.
absl::StatusOr<SimTime> PriceAllReduce(const Slice& slice,
                                       std::int64_t elements,
                                       const ChunkRule& rule = {});

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TIMING_PRICING_H_
