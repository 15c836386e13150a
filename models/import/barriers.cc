#include "models/import/barriers.h"

#include <cstddef>
#include <numeric>

namespace podsim {

FlatFunction WithBarriersOf(const std::vector<int>& variables,
                            const FlatFunction& from) {
  FlatFunction to = from;
  std::vector<bool> follows(to.ops.size());
  for (const int variable : variables)
    follows[static_cast<std::size_t>(variable)] = true;
  std::vector<int> place_of(to.ops.size());
  std::iota(place_of.begin(), place_of.end(), 0);
  for (std::size_t i = 0; i < to.ops.size(); ++i) {
    FlatOp& op = to.ops[i];
    for (int& operand : op.operands) {
      operand = place_of[static_cast<std::size_t>(operand)];
      if (follows[static_cast<std::size_t>(operand)]) follows[i] = true;
    }
    if (op.Is(kBarrier) && !follows[i]) place_of[i] = op.operands[0];
  }
  for (int& result : to.results)
    result = place_of[static_cast<std::size_t>(result)];
  return Pruned(to);
}

}  // namespace podsim
