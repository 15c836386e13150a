// Settings of a whole process that gRPC's speed hangs on. For mains only: they
// reach beyond whoever calls.
#ifndef PODSIM_BASE_RPC_TUNING_H_
#define PODSIM_BASE_RPC_TUNING_H_

namespace podsim {

// Keeps freed memory for the next message instead of giving it back to the
// system (up to 64 MiB at the end of the heap), lets each completion queue poll
// its own sockets, and turns off the search for lock cycles that Debian's
// abseil does by default. Call it first in main, before there is another
// thread. docs/performance.md has what each is worth.
void TuneProcessForRpc();

}  // namespace podsim

#endif  // PODSIM_BASE_RPC_TUNING_H_
