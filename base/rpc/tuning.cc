#include "base/rpc/tuning.h"

#include <malloc.h>
#include <stdlib.h>

#include "absl/synchronization/mutex.h"
#include "base/units.h"

namespace podsim {

void TuneProcessForRpc() {
  // gRPC allocates a buffer per read. Beyond the threshold each would be mapped
  // and cleared by the kernel anew: about a quarter of the system time of a
  // large all-reduce. 32 MiB is the most that glibc takes.
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(32 * kMiB));
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(64 * kMiB));
  // With epoll gRPC has one set of sockets for the whole process, and whoever
  // waits in it wakes the others. The thread that waits for the coordinator
  // would hand each frame on to the one that needs it; with poll each
  // completion queue looks after its own sockets. Read when gRPC starts; the
  // user's choice stands.
  setenv("GRPC_POLL_STRATEGY", "poll", /*overwrite=*/0);
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
}

}  // namespace podsim
