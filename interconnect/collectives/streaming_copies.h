// Copies of received elements that go past the caches, for buffers too large to
// be there when they are read next: a line is written whole and not fetched
// first, and what travels keeps the caches (docs/performance.md).
//
//   const StreamingCopy copy = StreamingCopyFor(rules, onward);
//   if (copy != nullptr) copy(received, mine, onward, count);
//
// Same bits as the copies of reduce_loops.h.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_STREAMING_COPIES_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_STREAMING_COPIES_H_

#include "interconnect/collectives/reduce.h"
#include "interconnect/collectives/reduce_loops.h"

namespace podsim {

// mine = received, and onward = received as it came if it was asked for (else
// `onward` is not looked at). What was written is seen by whoever learns of
// the call's end. REQUIRES: as reduce_loops.h; `mine` is aligned to its
// elements.
using StreamingCopy = ReduceLoops::Onward;

// Null: there is none, or not for this CPU (x86-64 with AVX2).
StreamingCopy StreamingCopyFor(const ElementRules& rules, bool onward);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_STREAMING_COPIES_H_
