// The gRPC stream between a host and its coordinator: messages out, messages
// in, and its two ends.
#ifndef PODSIM_HOST_PROCESS_COORDINATOR_STREAM_H_
#define PODSIM_HOST_PROCESS_COORDINATOR_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "base/rpc/security.h"
#include "proto/coordinator.grpc.pb.h"

namespace podsim {

// Thread-safe, but for Read and Finish, which one thread calls. All of it may
// hang while the coordinator is frozen: gRPC cannot take back what it may be
// writing.
class CoordinatorStream {
 public:
  // Connects, trying again until the timeout.
  // Errors: DEADLINE_EXCEEDED (no coordinator), FAILED_PRECONDITION (plain text
  //   beyond this machine).
  static absl::StatusOr<std::unique_ptr<CoordinatorStream>> Open(
      const std::string& address, const RpcSecurity& security,
      absl::Duration timeout);

  // Lost, once the line is broken or EndWrites was called.
  void Write(const HostMessage& message);
  // No more is written; the coordinator may close its side now.
  void EndWrites();
  // False: there will be no more, and Finish says why.
  bool Read(CoordinatorMessage& message);
  // OK: the coordinator has closed the line.
  absl::Status Finish();
  // May drop what was written last.
  void Cancel() { context_.TryCancel(); }

 private:
  CoordinatorStream(const std::shared_ptr<grpc::Channel>& channel,
                    const RpcSecurity& security);

  grpc::ClientContext context_;
  const std::unique_ptr<podsim::Coordinator::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<HostMessage, CoordinatorMessage>>
      stream_;
  // Whoever waits to write holds it, so that one who writes again at once does
  // not come before him: reports that the coordinator is slow to read keep no
  // heartbeat back.
  Mutex next_;
  Mutex mutex_;
  bool broken_ PODSIM_GUARDED_BY(mutex_) = false;
};

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_COORDINATOR_STREAM_H_
