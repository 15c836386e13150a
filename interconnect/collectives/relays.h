// Which sends pass on what a receive has just left, so that the bytes need not
// be read again, and at times need not be stored at all.
//
//   const std::vector<Relay> relays = FindRelays(plan);  // once per plan
//   if (relays[op].send >= 0) ...
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_RELAYS_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_RELAYS_H_

#include <cstdint>
#include <vector>

#include "interconnect/collectives/plan.h"

namespace podsim {

struct Relay {
  // The send of exactly the range that this op receives, which waits for this
  // op alone; -1: none, or not a receive.
  std::int32_t send = -1;
  // Nothing but that send reads the range before another receive overwrites
  // all of it: the buffer need not hold this op's result.
  bool passing = false;
};

// By op. O(n log n) of ops.
// REQUIRES: IndexPlan takes the plan, and no two ops of which one writes what
// the other touches may run at once (the tests' interpreter sees to that).
std::vector<Relay> FindRelays(const RankPlan& plan);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_RELAYS_H_
