// The two phases of a ring over any members and any pieces of the buffer: what
// the ring, the bidirectional ring and the 2-D torus are made of.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_RING_STEPS_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_RING_STEPS_H_

#include <vector>

#include "interconnect/collectives/plan_builder.h"

namespace podsim {

// Where one rank stands in a ring, and which piece each position owns.
struct RingPlace {
  int position = 0;
  std::vector<int> members;   // position -> rank
  std::vector<Range> pieces;  // position -> what it owns

  int size() const { return static_cast<int>(members.size()); }
  // Of any position, mod the size of the ring.
  const Range& Piece(int at) const { return pieces[Wrapped(at)]; }
  int Member(int at) const { return members[Wrapped(at)]; }

 private:
  int Wrapped(int at) const { return ((at % size()) + size()) % size(); }
};

// REQUIRES: rank is one of the members; as many pieces.
RingPlace PlaceInRing(std::vector<int> members, std::vector<Range> pieces,
                      int rank);

struct RingScatter {
  std::vector<Cut> sends;  // by step
  Cut summed;              // what made my own piece whole
};
// size - 1 steps. Step s sends the piece of position p - 1 - s and adds that of
// p - 2 - s. `ready`: the ops that make the values to be summed, if any.
RingScatter AppendRingScatter(PlanBuilder& builder, const RingPlace& place,
                              const Cut& ready = {});

// size - 1 steps more. Step s sends the piece of position p - s and takes that
// of p - 1 - s. `own`: what makes my own piece ready to be sent. `before`: the
// sends of a reduce-scatter on this ring; a copy lands in bytes that its step s
// sent from where they lie, and so waits until that send is done. Returns the
// receives.
std::vector<Cut> AppendRingGather(PlanBuilder& builder, const RingPlace& place,
                                  const Waits& own,
                                  const std::vector<Cut>& before);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_RING_STEPS_H_
