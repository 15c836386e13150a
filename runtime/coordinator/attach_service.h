// The service that host processes call: makes a HostStream for each call that
// carries the pod's token, and refuses the others.
#ifndef PODSIM_RUNTIME_COORDINATOR_ATTACH_SERVICE_H_
#define PODSIM_RUNTIME_COORDINATOR_ATTACH_SERVICE_H_

#include <utility>

#include "base/clock.h"
#include "base/log_rate.h"
#include "base/rpc/security.h"
#include "proto/coordinator.grpc.pb.h"
#include "runtime/coordinator/inbox.h"

namespace podsim {

class AttachService final : public Coordinator::CallbackService {
 public:
  // `inbox` and `clock` must outlive the streams.
  AttachService(RpcSecurity security, Inbox& inbox, const Clock& clock)
      : security_(std::move(security)), inbox_(inbox), clock_(clock) {}

  grpc::ServerBidiReactor<HostMessage, CoordinatorMessage>* Attach(
      grpc::CallbackServerContext* context) override;

 private:
  const RpcSecurity security_;
  Inbox& inbox_;
  const Clock& clock_;
  LogRate refusals_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_ATTACH_SERVICE_H_
