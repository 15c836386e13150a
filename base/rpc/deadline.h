// Deadlines of calls: every call has one, none waits for ever.
#ifndef PODSIM_BASE_RPC_DEADLINE_H_
#define PODSIM_BASE_RPC_DEADLINE_H_

#include <grpc/support/time.h>
#include <grpcpp/client_context.h>

#include "absl/time/time.h"
#include "base/status.h"

namespace podsim {

// The moment `timeout` from now, on the machine's steady clock (an injected one
// cannot make gRPC wait). REQUIRES: `timeout` is finite.
inline gpr_timespec DeadlineIn(absl::Duration timeout) {
  PODSIM_CHECK(timeout < absl::InfiniteDuration());
  return gpr_time_add(
      gpr_now(GPR_CLOCK_MONOTONIC),
      gpr_time_from_nanos(absl::ToInt64Nanoseconds(timeout), GPR_TIMESPAN));
}

inline void SetDeadline(grpc::ClientContext& context, absl::Duration timeout) {
  context.set_deadline(DeadlineIn(timeout));
}

}  // namespace podsim

#endif  // PODSIM_BASE_RPC_DEADLINE_H_
