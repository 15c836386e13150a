// Deadlines of calls: every call has one, none waits for ever.
#ifndef PODSIM_BASE_RPC_DEADLINE_H_
#define PODSIM_BASE_RPC_DEADLINE_H_

#include <grpcpp/client_context.h>

#include <chrono>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status.h"

namespace podsim {

// The moment `timeout` from now, on the clock that gRPC reads (the system's; an
// injected clock cannot make gRPC wait). REQUIRES: `timeout` is finite.
inline std::chrono::system_clock::time_point DeadlineIn(
    absl::Duration timeout) {
  PODSIM_CHECK(timeout < absl::InfiniteDuration());
  return absl::ToChronoTime(absl::Now() + timeout);
}

inline void SetDeadline(grpc::ClientContext& context, absl::Duration timeout) {
  context.set_deadline(DeadlineIn(timeout));
}

}  // namespace podsim

#endif  // PODSIM_BASE_RPC_DEADLINE_H_
