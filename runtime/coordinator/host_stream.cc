#include "runtime/coordinator/host_stream.h"

#include <utility>

#include "base/rpc/status.h"

namespace podsim {

void HostStream::Begin() {
  self_ = shared_from_this();
  StartRead(&incoming_);
}

void HostStream::Send(CoordinatorMessage message) {
  bool idle = false;
  {
    MutexLock lock(mutex_);
    if (closing_) return;
    outgoing_.push_back(std::move(message));
    idle = !std::exchange(writing_, true);
  }
  if (idle) WriteFront();
}

void HostStream::Close(const absl::Status& status) {
  {
    MutexLock lock(mutex_);
    if (closing_) return;
    closing_ = status;
    if (writing_) return;
  }
  Finish(ToGrpcStatus(status));
}

// Messages are handed on at once rather than when the loop gets to them, so
// that a Failure is not lost to the cancellation that follows it.
void HostStream::OnReadDone(bool ok) {
  if (!ok) {
    inbox_.Put({shared_from_this(), std::nullopt});
    return;
  }
  if (incoming_.has_heartbeat()) {
    const std::int64_t now = absl::ToUnixNanos(clock_.Now());
    CoordinatorMessage message;
    Heard& heard = *message.mutable_heard();
    heard.set_sent_ns(incoming_.heartbeat().sent_ns());
    heard.set_heard_ns(now);
    // What gRPC takes to write it counts as its way.
    heard.set_answered_ns(now);
    Send(std::move(message));
  }
  // Handed on before it is counted: whoever is told to read on, here or by
  // OnHandled, finds `incoming_` free and all that came before in the inbox.
  inbox_.Put({shared_from_this(), std::exchange(incoming_, HostMessage())});
  bool reads = false;
  {
    MutexLock lock(mutex_);
    reads = bound_.OnRead();
  }
  if (reads) StartRead(&incoming_);
}

void HostStream::OnHandled() {
  {
    MutexLock lock(mutex_);
    // Once closed, the call may be gone if nothing is being read.
    if (!bound_.OnHandled() || closing_) return;
  }
  StartRead(&incoming_);
}

void HostStream::OnWriteDone(bool ok) {
  std::optional<absl::Status> finish;
  bool more = false;
  {
    MutexLock lock(mutex_);
    outgoing_.pop_front();
    if (!ok) outgoing_.clear();  // broken; the pending read says so too
    more = writing_ = !outgoing_.empty();
    if (!writing_) finish = closing_;
  }
  if (finish) Finish(ToGrpcStatus(*finish));
  // Without more, whoever sends next writes, perhaps by now.
  if (more) WriteFront();
}

void HostStream::WriteFront() {
  const CoordinatorMessage* front = nullptr;
  {
    MutexLock lock(mutex_);
    front = &outgoing_.front();  // stays put while others are appended
  }
  StartWrite(front);
}

}  // namespace podsim
