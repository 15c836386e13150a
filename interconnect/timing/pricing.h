// What a collective would take on the real pod: its chip plan on the slice's
// links, and what software and the cores of a chip add to that.
//
//   PODSIM_ASSIGN_OR_RETURN(const Price price, PriceCollective(slice,
//       {.collective = Collective::kAllReduce, .bytes = 25'600'000}));
//
// All pure, deterministic and simulated; docs/timing-model.md has the
// equations, docs/validation.md how far off they are.
#ifndef PODSIM_INTERCONNECT_TIMING_PRICING_H_
#define PODSIM_INTERCONNECT_TIMING_PRICING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "base/units.h"
#include "interconnect/collectives/chip_plans.h"
#include "interconnect/timing/network_run.h"
#include "interconnect/topology/slice.h"

namespace podsim {

struct PriceRequest {
  Collective collective = Collective::kAllReduce;
  // Unset: the one that takes the least time. Each in the form that does.
  std::optional<ChipAlgorithm> algorithm;
  // Of the buffer of one replica (all-gather: of what it has afterwards).
  std::int64_t bytes = 0;
  int element_bytes = 4;
  int root = 0;  // a chip; kBroadcast
  // No chip stands for another one: slower, and the same time.
  bool whole = false;
};

struct Price {
  ChipAlgorithm algorithm = ChipAlgorithm::kTorusAll;
  SimTime time;     // all of the following
  SimTime network;  // the plan on the links
  SimTime software;
  // The cores of a chip add up their first piece before, and copy the last one
  // after; the rest hides behind the links, if there are any.
  SimTime cores;
  std::vector<std::int64_t> sent;  // bytes over each link of the slice
  std::vector<SimTime> busy;       // of each link of the slice
  std::vector<SimTime> ends;       // of each chip, in the network
  std::int64_t events = 0;
  std::shared_ptr<const NetworkPlan> plan;  // what took `network`
  // Where none was asked for: what could not be tried, because of its length.
  std::vector<ChipAlgorithm> not_tried;
};

// Errors: INVALID_ARGUMENT (an algorithm that does not do it, bytes that are
//   negative or too many), FAILED_PRECONDITION (cut wires leave no way),
//   RESOURCE_EXHAUSTED (as NetworkPlan::Make).
absl::StatusOr<Price> PriceCollective(const Slice& slice,
                                      const PriceRequest& request);

// What the chips of the slice do by that algorithm; the bytes are rounded up so
// that all do the same.
ChipRequest ChipPlanOf(const Slice& slice, const PriceRequest& request,
                       ChipAlgorithm algorithm,
                       ChipForm form = ChipForm::kLong);

// What comes to the time on the links.
struct Overhead {
  SimTime software;
  SimTime cores;
};
Overhead OverheadOf(const Slice& slice, const PriceRequest& request);

// What no algorithm can be faster than, at the links' full rate.
struct Bounds {
  // Bytes out of or into the chip that has fewest links, or over all links.
  SimTime chip_links;
  SimTime bisection;  // bytes through the middle of an axis, the worst of them
  SimTime distance;   // hops to the farthest chip
  SimTime most() const;
};
Bounds BoundsOf(const Slice& slice, const PriceRequest& request);

// The pod figures that vendors print, in bytes/s: both directions of all links
// of all chips; the fewest links through the middle of an axis, one way.
double AllReduceBandwidth(const Slice& slice);
double BisectionBandwidth(const Slice& slice);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TIMING_PRICING_H_
