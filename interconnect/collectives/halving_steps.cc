#include "interconnect/collectives/halving_steps.h"

#include <utility>

namespace podsim {
namespace {

// Pieces [first, first + count), which lie side by side.
Range Span(const std::vector<Range>& pieces, int first, int count) {
  const Range& last = pieces[first + count - 1];
  return {pieces[first].begin, last.begin + last.count - pieces[first].begin};
}

}  // namespace

HalvingWorld::HalvingWorld(int world) : world_(world) {
  while (power_ * 2 <= world) power_ *= 2;
}

int HalvingWorld::Reversed(int rank) const {
  int reversed = 0;
  for (int bit = 1; bit < power_; bit *= 2) {
    reversed = reversed * 2 + (rank & bit ? 1 : 0);
  }
  return reversed;
}

// What is kept only ever shrinks, and no step touches what an earlier one gave
// away: sums wait for the sum so far, never for a send.
Halving AppendHalving(PlanBuilder& builder, const HalvingWorld& world, int rank,
                      const std::vector<Range>& pieces, const Cut& ready) {
  Halving ops;
  ops.summed = ready;
  int first = 0;
  int count = world.power();
  for (int distance = 1; distance < world.power(); distance *= 2) {
    count /= 2;
    Range kept = Span(pieces, first, count);
    Range given = Span(pieces, first + count, count);
    if (rank & distance) {
      std::swap(kept, given);
      first += count;
    }
    const int partner = rank ^ distance;
    const Cut sent = builder.Send(partner, given, {{ops.summed}});
    ops.summed = builder.Accumulate(partner, kept, ops.summed);
    ops.steps.push_back({partner, given, kept, sent});
  }
  return ops;
}

}  // namespace podsim
