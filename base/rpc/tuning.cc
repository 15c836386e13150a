#include "base/rpc/tuning.h"

#include <malloc.h>

#include "absl/synchronization/mutex.h"
#include "base/units.h"

namespace podsim {

void TuneProcessForRpc() {
  // gRPC allocates a buffer per read. Beyond the threshold each would be mapped
  // and cleared by the kernel anew: about a quarter of the system time of a
  // large all-reduce. 32 MiB is the most that glibc takes.
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(32 * kMiB));
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(64 * kMiB));
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
}

}  // namespace podsim
