// The service by which host processes of other machines hand on their parts of
// the trace (proto/trace.proto): each becomes a file beside those of the
// others, for whoever started the coordinator.
#ifndef PODSIM_RUNTIME_COORDINATOR_TRACE_KEEPER_SERVICE_H_
#define PODSIM_RUNTIME_COORDINATOR_TRACE_KEEPER_SERVICE_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "base/rpc/security.h"
#include "proto/trace.grpc.pb.h"

namespace podsim {

// Thread-safe.
class TraceKeeperService final : public TraceKeeper::CallbackService {
 public:
  struct Options {
    std::string folder;  // empty: nothing is kept
    std::uint32_t generation = 1;
    int processes = 0;
  };
  // Of a call without the token: why it was turned away. From any thread.
  using Refuse = std::function<void(const std::string& why)>;

  TraceKeeperService(RpcSecurity security, Options options, Refuse refuse)
      : security_(std::move(security)),
        options_(std::move(options)),
        refuse_(std::move(refuse)) {}

  grpc::ServerReadReactor<TracePart>* Keep(grpc::CallbackServerContext* context,
                                           TraceKept* response) override;

  // Waits until it keeps the parts of all processes, for `limit` at most;
  // whether it keeps them all then.
  bool WaitForAll(absl::Duration limit);

  // For a call: it alone brings the part that `piece` begins, until Leave.
  // Errors: FAILED_PRECONDITION, INVALID_ARGUMENT and ALREADY_EXISTS of Keep.
  absl::Status Enter(const TracePart& piece);
  void Leave(int process, bool kept);
  std::string FileOf(int process) const;

 private:
  const RpcSecurity security_;
  const Options options_;
  const Refuse refuse_;
  Mutex mutex_;
  CondVar changed_;
  std::set<int> coming_ PODSIM_GUARDED_BY(mutex_);  // processes
  std::set<int> kept_ PODSIM_GUARDED_BY(mutex_);
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_TRACE_KEEPER_SERVICE_H_
