// A host process's part of a trace, handed to the coordinator of another
// machine.
#ifndef PODSIM_HOST_PROCESS_SEND_TRACE_PART_H_
#define PODSIM_HOST_PROCESS_SEND_TRACE_PART_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "base/rpc/security.h"
#include "proto/trace.pb.h"

namespace podsim {

// Blocks until the coordinator at `address` keeps it, for two minutes at most.
// `on_progress` is called after each piece; it may be empty.
// Errors: those of TraceKeeper.Keep (proto/trace.proto), DEADLINE_EXCEEDED,
// FAILED_PRECONDITION (plain text beyond this machine), UNAVAILABLE (nobody
// answers there).
absl::Status SendTracePart(const std::string& address,
                           const RpcSecurity& security, const TracePart& part,
                           const std::function<void()>& on_progress = {});

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_SEND_TRACE_PART_H_
