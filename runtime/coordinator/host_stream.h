// The coordinator's end of a host process's stream: each message read goes into
// the inbox, and what the loop sends is written in order. While many of its
// messages wait there, nothing more is read (read_bound.h).
//
// A stream ends only through Close, so the loop may use it until then. It owns
// itself from Begin until gRPC's OnDone, and the loop shares it meanwhile.
#ifndef PODSIM_RUNTIME_COORDINATOR_HOST_STREAM_H_
#define PODSIM_RUNTIME_COORDINATOR_HOST_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <deque>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "proto/coordinator.pb.h"
#include "runtime/coordinator/inbox.h"
#include "runtime/coordinator/read_bound.h"

namespace podsim {

// The loop's thread alone calls OnHandled and Close; gRPC's threads answer
// heartbeats, so that a loop that is busy keeps nobody waiting, and call the
// rest.
class HostStream final
    : public grpc::ServerBidiReactor<HostMessage, CoordinatorMessage>,
      public std::enable_shared_from_this<HostStream> {
 public:
  // `inbox` and `clock` must outlive the stream.
  HostStream(Inbox& inbox, const Clock& clock) : inbox_(inbox), clock_(clock) {}

  // Once, before anything else.
  void Begin();

  // The loop's: the process that joined on this stream, or that none may.
  std::optional<int> process;
  bool refused = false;

  // The loop has handled one of its messages.
  void OnHandled();
  // Queues a message; dropped after Close. Thread-safe.
  void Send(CoordinatorMessage message);
  // Ends the stream once everything queued is written.
  void Close(const absl::Status& status);

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone() override { self_.reset(); }
  void WriteFront();

  Inbox& inbox_;
  const Clock& clock_;
  std::shared_ptr<HostStream> self_;
  HostMessage incoming_;
  Mutex mutex_;
  ReadBound bound_ PODSIM_GUARDED_BY(mutex_);
  std::deque<CoordinatorMessage> outgoing_ PODSIM_GUARDED_BY(mutex_);
  bool writing_ PODSIM_GUARDED_BY(mutex_) = false;
  std::optional<absl::Status> closing_ PODSIM_GUARDED_BY(mutex_);
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_HOST_STREAM_H_
