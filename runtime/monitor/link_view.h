// What a step of the job moves: over the links of the simulated slice, axis by
// axis (sim), and out of a host process's hosts here (wall).
#ifndef PODSIM_RUNTIME_MONITOR_LINK_VIEW_H_
#define PODSIM_RUNTIME_MONITOR_LINK_VIEW_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/units.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"

namespace podsim {

struct AxisLinks {
  char axis = 'x';
  int links = 0;           // that carry something, one way each
  std::int64_t bytes = 0;  // over the one that carries most, in a step
  SimTime busy;            // that one, in a step
};

// Of one all-reduce of all the plan's gradients, which is what a step moves but
// for sums in the middle of a pass.
struct LinkTraffic {
  std::vector<AxisLinks> axes;  // none: one chip, or it has no price
  SimTime all_reduce;
  // That each host sends to the others of this emulation in a step, by the ring
  // and by halving and doubling alike; 0: one host.
  std::int64_t host_bytes = 0;
};

// The last plan's is kept: pricing takes a while on a large slice. Thread-safe.
// REQUIRES: `slice` is the plan's.
std::shared_ptr<const LinkTraffic> LinkTrafficOf(const JobPlan& plan,
                                                 const Slice& slice);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_MONITOR_LINK_VIEW_H_
