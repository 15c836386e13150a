// The tensors in HBM from which a value can be computed in passing. Pure.
//
//   y = relu(a + b)     y's frontier is {a, b}: whoever reads y reads these
//   z = slice(y)        z's is {part of a, part of b}
#ifndef PODSIM_CHIP_FRONTIER_H_
#define PODSIM_CHIP_FRONTIER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chip/graph.h"

namespace podsim {

// A tensor of a frontier, or the part of it that a slice leaves.
struct FrontierPart {
  ChipValueId value = kNoChipValue;  // no view
  std::int32_t slice = kNoChipNode;  // the node; none: all of it
  double share = 1;                  // of its bytes

  friend bool operator==(const FrontierPart&, const FrontierPart&) = default;
};

// Sorted by value, then slice; each pair once.
using Frontier = std::vector<FrontierPart>;

inline Frontier Itself(ChipValueId value) {
  return {FrontierPart{.value = value}};
}

// What is in either.
Frontier Joined(const Frontier& a, const Frontier& b);

// The frontier of a slice that leaves `share` of what has frontier `of`.
Frontier PartOf(const Frontier& of, std::int32_t slice, double share);

// Whether every tensor of `part` is in `of`, in whatever part.
bool IsWithin(const Frontier& part, const Frontier& of);

std::size_t TensorsIn(const Frontier& frontier);

// fn(value, share) for each tensor, with the shares of its parts added up, 1 at
// most.
template <typename Fn>
void ForTensors(const Frontier& frontier, const Fn& fn) {
  for (std::size_t i = 0; i < frontier.size();) {
    const ChipValueId value = frontier[i].value;
    double share = 0;
    for (; i < frontier.size() && frontier[i].value == value; ++i)
      share += frontier[i].share;
    fn(value, share < 1 ? share : 1.0);
  }
}

}  // namespace podsim

#endif  // PODSIM_CHIP_FRONTIER_H_
