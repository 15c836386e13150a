// Loops that add received elements and make both checksums in the same pass,
// for the payloads of large all-reduces: float32 sums over a wire of float32 or
// bfloat16.
//
//   const ChecksummedLoop loop = ChecksummedLoopsFor(rules).combine;
//   if (loop != nullptr) done = loop(received, mine, mine, bytes, crc);
//
// With AVX-512 a checksum is two multiplications of the vector that is summed
// anyway (wide_loops.h). Without it one core's crc32 instruction, its
// carry-less multiplier and its vector units work side by side: what came goes
// through the first, what is made of it through the second. The buffer's next
// lines are asked for meanwhile (docs/notes/all-reduce.md has the figures).
// Same bits as the loops of reduce_loops.h and Crc32c, one after the other.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_CHECKSUMMED_LOOPS_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_CHECKSUMMED_LOOPS_H_

#include <cstddef>
#include <cstdint>

#include "interconnect/collectives/reduce.h"

namespace podsim {

// Takes as many whole blocks as `bytes` bytes of the wire hold and returns how
// many bytes these are, 0 included; the rest is the caller's. `mine` and
// `onward` are where the first of them belongs. Continues both checksums.
// REQUIRES: neither checksum is null; `received` overlaps neither `mine` nor
// `onward`.
using ChecksummedLoop = std::size_t (*)(const std::byte* received,
                                        std::byte* mine, std::byte* onward,
                                        std::size_t bytes,
                                        const Checksums& crc);

// As in ReduceLoops. Null: there is none, or not for this CPU (x86-64 with AVX2
// and VPCLMULQDQ; copies: and AVX-512).
struct ChecksummedLoops {
  ChecksummedLoop combine = nullptr;  // `onward` is `mine`
  ChecksummedLoop onward = nullptr;   // mine stays as it was
  ChecksummedLoop shared = nullptr;   // mine becomes what is sent
};

const ChecksummedLoops& ChecksummedLoopsFor(const ElementRules& rules);
// Those that need no AVX-512, whatever this CPU has.
const ChecksummedLoops& LaneLoopsFor(const ElementRules& rules);

// Copies of what travels as it is held, by how `mine` is stored (Stores). They
// make no result: crc.result may be null and is not looked at.
struct ChecksummedCopies {
  ChecksummedLoop copy[2] = {};    // `onward` is not looked at
  ChecksummedLoop onward[2] = {};  // mine and onward become what came
};

// Null members: as above.
const ChecksummedCopies& ChecksummedCopiesFor(const ElementRules& rules);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_CHECKSUMMED_LOOPS_H_
