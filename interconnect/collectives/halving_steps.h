// What the halving and doubling generators share: who takes part in a world of
// any size, and the halving itself.
//
// Let P be the largest power of two that is at most W. Ranks below P exchange
// with partners at distance 1, 2, 4, ... P/2. Each rank P + i beyond (an extra)
// is represented by rank i, its proxy.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_HALVING_STEPS_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_HALVING_STEPS_H_

#include <vector>

#include "interconnect/collectives/plan_builder.h"

namespace podsim {

class HalvingWorld {
 public:
  explicit HalvingWorld(int world);
  int power() const { return power_; }  // P
  bool IsExtra(int rank) const { return rank >= power_; }
  int ProxyOf(int extra) const { return extra - power_; }
  bool HasExtra(int rank) const { return rank + power_ < world_; }
  int ExtraOf(int rank) const { return rank + power_; }
  // The bits of a rank below P in reverse order.
  int Reversed(int rank) const;

 private:
  int world_;
  int power_ = 1;
};

// One exchange: the partner gets `given` and I add what it has of `kept`.
struct HalvingStep {
  int partner = 0;
  Range given;
  Range kept;
  Cut sent;
};
struct Halving {
  std::vector<HalvingStep> steps;  // distance 1, 2, 4, ...
  Cut summed;                      // what made my own piece whole
};

// Reduces `pieces` (P of them, side by side) over the ranks below P; rank r
// ends with piece Reversed(r). Every element is summed as the balanced tree
// ((0 + 1) + (2 + 3)) + ... over ranks. `ready`: the ops that make the values
// to be summed, if any.
Halving AppendHalving(PlanBuilder& builder, const HalvingWorld& world, int rank,
                      const std::vector<Range>& pieces, const Cut& ready);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_HALVING_STEPS_H_
