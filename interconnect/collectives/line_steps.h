// The two phases along one axis of a chip grid, both ways at once: what the
// torus algorithms are made of. Along a ring each piece travels the shorter way
// (that of the place opposite half each way), along a line towards its owner.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_LINE_STEPS_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_LINE_STEPS_H_

#include <vector>

#include "interconnect/collectives/plan_builder.h"

namespace podsim {

// Where one rank stands on an axis, and which piece each position owns.
struct LinePlace {
  int position = 0;
  bool closed = false;        // a ring; REQUIRES: more than two members
  std::vector<int> members;   // position -> rank
  std::vector<Range> pieces;  // position -> what it owns

  int size() const { return static_cast<int>(members.size()); }
  int Wrapped(int at) const { return ((at % size()) + size()) % size(); }
  // How far pieces travel between `at` and owners on that side of it.
  int Reach(int at, bool ahead) const;
  // What of a piece goes that way to (or from) a place `distance` further: all
  // of it, or half to the place opposite.
  Range Travels(const Range& piece, bool ahead, int distance) const;
};

struct LineScatter {
  std::vector<std::vector<Cut>> sends;  // by owner's position: ahead, behind
  Cut summed;                           // what made my own piece whole
};
// size - 1 steps (half of that around a ring): every contribution moves towards
// the owner and is added to on the way, the farthest owner's first. `ready`:
// the ops that make the values to be summed, if any.
LineScatter AppendLineScatter(PlanBuilder& builder, const LinePlace& place,
                              const Cut& ready);

// The way back: my own piece, then what comes is passed on, the nearest owner's
// first. `own`: what makes my own piece ready. `before`: sends of the
// reduce-scatter on this line, whose bytes are overwritten here. Returns the
// receives, which stand together.
std::vector<Cut> AppendLineGather(PlanBuilder& builder, const LinePlace& place,
                                  const Waits& own,
                                  const std::vector<std::vector<Cut>>& before);

// `whole` of the member at `root`, to all others; a ring's root sends both
// ways. `ready`: what makes it ready at this rank. Returns what came, if
// anything did.
std::vector<Cut> AppendLineBroadcast(PlanBuilder& builder,
                                     const LinePlace& place, int root,
                                     const Range& whole,
                                     const std::vector<Cut>& ready);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_LINE_STEPS_H_
