// Large sums and copies in pieces, so that several threads may share them. The
// elements are combined one by one: no cut decides a bit.
//
//   RunInPieces(parallel, range.count, SizeOf(type), [&](const Range& piece) {
//     Sum(piece);
//   });
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_PIECES_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_PIECES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "interconnect/collectives/plan.h"

namespace podsim {

// Runs fn(0) ... fn(count - 1), in any order and on any threads, and returns
// when all are done; what they wrote is then visible to the caller.
using ParallelRunner = std::function<void(
    std::int64_t count, const std::function<void(std::int64_t)>& fn)>;

// What is shorter stays whole: it takes some 40 us, as waking a thread does.
inline constexpr std::int64_t kLeastCutBytes = 256 << 10;
// Whole pages. Small enough that threads which begin late still find some.
inline constexpr std::int64_t kPieceBytes = 128 << 10;

// Elements 0 to elements - 1, each of `size` bytes, in order: pieces of
// kPieceBytes, of which the last may be shorter; or one, maybe empty, of all.
// REQUIRES: size divides kPieceBytes.
std::vector<Range> CutIntoPieces(std::int64_t elements, std::size_t size);

// Calls fn for every piece through `parallel`; if that is empty, or there is
// only one piece, here and for all elements at once.
void RunInPieces(const ParallelRunner& parallel, std::int64_t elements,
                 std::size_t size, const std::function<void(const Range&)>& fn);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_PIECES_H_
