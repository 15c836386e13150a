// The loops of checksummed_loops.h for CPUs with AVX-512 and VPCLMULQDQ: bytes
// are checksummed in the registers in which they are summed or copied, in the
// order in which they lie. Copies have loops of this kind here alone.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_WIDE_LOOPS_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_WIDE_LOOPS_H_

#include "interconnect/collectives/checksummed_loops.h"

namespace podsim {

// Null: this CPU runs none. They take whole multiples of 256 bytes.
const ChecksummedLoops* WideLoopsForFloats();  // sums, over a wire of float32
const ChecksummedCopies* WideCopies();

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_WIDE_LOOPS_H_
