// The loops over whole elements that reduce.cc calls, by types and op.
//
//   const ReduceLoops& loops = LoopsFor(rules);
//   loops.combine[IndexOf(rules.op)](received, mine, count);
//
// `count` is of elements. REQUIRES: what is written overlaps nothing else that
// is passed; all may lie at any address.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_REDUCE_LOOPS_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_REDUCE_LOOPS_H_

#include <array>
#include <cstddef>

#include "interconnect/collectives/element.h"
#include "interconnect/collectives/reduce.h"

namespace podsim {

// The loops of one pair of types, by op; the last is the copy.
struct ReduceLoops {
  static constexpr std::size_t kCopy = 4;

  // mine = received (+) mine
  using Combine = void (*)(const std::byte* received, std::byte* mine,
                           std::size_t count);
  // onward = received (+) mine
  using Onward = void (*)(const std::byte* received, std::byte* mine,
                          std::byte* onward, std::size_t count);

  std::array<Combine, kCopy + 1> combine;
  std::array<Onward, kCopy + 1> onward;  // mine stays as it was
  std::array<Onward, kCopy + 1> shared;  // mine becomes what is sent
};

inline std::size_t IndexOf(ReductionOp op) {
  return static_cast<std::size_t>(op);
}

// REQUIRES: `rules.type` travels as `rules.wire`.
const ReduceLoops& LoopsFor(const ElementRules& rules);

// wire = mine, float32 rounded to bfloat16; mine becomes that too if `keep`.
using RoundLoop = void (*)(std::byte* mine, bool keep, std::byte* wire,
                           std::size_t count);
RoundLoop LoopThatRounds();

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_REDUCE_LOOPS_H_
