// The service that readers of a job's events call (proto/watch.proto): makes a
// WatchStream for each call that carries the pod's token, and refuses others.
#ifndef PODSIM_RUNTIME_COORDINATOR_WATCH_SERVICE_H_
#define PODSIM_RUNTIME_COORDINATOR_WATCH_SERVICE_H_

#include <functional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/log_rate.h"
#include "base/rpc/security.h"
#include "proto/watch.grpc.pb.h"
#include "runtime/coordinator/event_feed.h"

namespace podsim {

class WatchService final : public JobWatch::CallbackService {
 public:
  // Of a call without the token: why it was turned away. From any thread.
  using Refuse = std::function<void(const std::string& why)>;

  // `feed` and `clock` must outlive the service. Null: nobody may watch.
  WatchService(RpcSecurity security, EventFeed* feed, const Clock& clock,
               Refuse refuse)
      : security_(std::move(security)),
        feed_(feed),
        clock_(clock),
        refuse_(std::move(refuse)) {}

  grpc::ServerWriteReactor<WatchedEvent>* Watch(
      grpc::CallbackServerContext* context,
      const WatchRequest* request) override;

 private:
  const RpcSecurity security_;
  EventFeed* const feed_;
  const Clock& clock_;
  const Refuse refuse_;
  LogRate refusals_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_WATCH_SERVICE_H_
