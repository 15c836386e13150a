// One call to a coordinator for the events of its job (proto/watch.proto).
//
//   auto call = WatchCall::Open(address, security, request);
//   WatchedEvent event;
//   while ((*call)->Next(event)) Fold(event, state);
//   WatchEnd end = (*call)->Finish();
#ifndef PODSIM_RUNTIME_TOP_WATCH_CALL_H_
#define PODSIM_RUNTIME_TOP_WATCH_CALL_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/rpc/security.h"
#include "proto/watch.pb.h"

namespace podsim {

struct WatchEnd {
  absl::Status status;        // OK: the job has ended
  std::uint64_t nearest = 0;  // what can be asked for instead; 0: not said
};

// No grpc type shows.
class WatchCall {
 public:
  // Connects with the first event, so a dead coordinator shows there.
  // Errors: those of CheckPlaintextAllowed.
  static absl::StatusOr<std::unique_ptr<WatchCall>> Open(
      const std::string& address, const RpcSecurity& security,
      const WatchRequest& request);
  ~WatchCall();
  WatchCall(const WatchCall&) = delete;
  WatchCall& operator=(const WatchCall&) = delete;

  // Blocks for the next event; false: there is none, or Cancel was called.
  bool Next(WatchedEvent& event);
  // Once, after Next has said false.
  WatchEnd Finish();
  // Thread-safe.
  void Cancel();

 private:
  struct Impl;
  explicit WatchCall(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TOP_WATCH_CALL_H_
