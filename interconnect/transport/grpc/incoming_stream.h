// The acceptor's end of a stream from one peer process: frames come in, credits
// go back. Used by the thread that polls the completion queue. If the opener
// offers memory to share, and it can be had, they go that way (see
// OutgoingStream).
//
// Life: waiting for a caller -> called -> greeted (token and hello were right)
// -> ended. Payloads may outlive the stream; their credit then goes nowhere.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_GRPC_INCOMING_STREAM_H_
#define PODSIM_INTERCONNECT_TRANSPORT_GRPC_INCOMING_STREAM_H_

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "interconnect/transport/credit.h"
#include "interconnect/transport/frame.h"
#include "interconnect/transport/grpc/completion_loop.h"
#include "interconnect/transport/grpc/grpc_wire.h"
#include "interconnect/transport/mailbox.h"
#include "interconnect/transport/shared/shared_lane.h"

namespace podsim {

class IncomingStream : public std::enable_shared_from_this<IncomingStream> {
 public:
  // Told from within operations of the completion queue.
  class Owner {
   public:
    virtual ~Owner() = default;
    // A caller has taken this stream; another one should wait for the next.
    virtual void OnCalled() = 0;
    // A call without the pod's token was turned away.
    virtual void OnRefused(const std::string& peer,
                           const absl::Status& why) = 0;
    // Whether the peer that said `hello` on `stream` is let in.
    virtual absl::Status Admit(const IciHello& hello,
                               std::shared_ptr<IncomingStream> stream) = 0;
    // Whether `process` may send to the frame's host as the host it says.
    virtual absl::Status CheckHosts(int process, const FrameHeader& header) = 0;
    // No more frames will come from a process that was let in.
    virtual void OnIncomingEnded(int process, const absl::Status& why) = 0;
    // Process `process` sent a frame that cannot be told from whom to whom.
    virtual void OnUnreadableFrame(int process, const absl::Status& why) = 0;
  };

  // The references must outlive the operations of this object, and those of
  // Listen too. `share`: accepts memory that is offered.
  IncomingStream(const PodIdentity& identity, bool share, Mailbox& mailbox,
                 Owner& owner);

  // Waits for a caller.
  void Listen(grpc::AsyncGenericService& service,
              grpc::ServerCompletionQueue& queue);

  // The peer was let in and has our answer.
  bool greeted() const { return replied_; }
  // Waits for a caller.
  bool listening() const { return call_.pending(); }
  // Somebody has called, and gRPC still works for this object.
  bool busy() const;
  // Nothing will happen here any more.
  bool ended() const { return ended_ && !busy(); }

  // Frames come through shared memory.
  bool sharing() const { return lane_ != nullptr; }
  // Takes the frames that have come that way; false if none have.
  bool TakeShared();
  void SetWaiting(bool waiting);

  // Ends the stream at once; frames that were not read yet are dropped.
  void Cancel();

 private:
  struct Debt {
    std::int64_t charge = 0;  // released here, not yet given back
    bool asked = false;       // the sender waits for it
  };

  void OnCalled(bool ok);
  void OnRead(bool ok);
  void OnWritten(bool ok);

  absl::Status Greet();
  // Maps what the opener offers, if it can be.
  void AcceptLane(const IciHello::SharedMemory& offer);
  void TakeMessage();
  absl::Status TakeSharedFrame(std::uint32_t mark);
  // Takes the peer for lost; no more is taken from shared memory.
  void Break(const absl::Status& why);
  // A frame, its payload and how to let go of that, whichever way they came.
  void TakeFrame(const absl::StatusOr<WireHeader>& header,
                 Payload::Parts payload, std::function<void()> drop);
  void TakeData(const WireHeader& header, Payload payload);
  void Release(const Route& route, std::int64_t charge);
  void GiveCredit(const Route& route);
  // What is owed of a route, as a credit.
  WireHeader CreditOf(const Route& route);
  // Gives it back through shared memory; false if it must go over the stream.
  bool ShareCredit(const Route& route);
  void WriteNext();
  void Finish(const absl::Status& status);

  const PodIdentity& identity_;
  const bool share_;
  Mailbox& mailbox_;
  Owner& owner_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_;

  Operation call_, read_, write_, finish_;
  grpc::ByteBuffer incoming_;

  std::shared_ptr<SharedLane> lane_;  // payloads hold it too
  bool lane_used_ = false;            // a frame has come that way
  std::uint32_t streamed_ = 0;        // data frames that came over the stream

  std::map<Route, Debt> debts_;
  std::set<Route> due_;  // debts to be written
  bool wake_ = false;    // a call to wake up is to be written
  int process_ = -1;     // the peer, once it was let in
  bool called_ = false;
  bool replied_ = false;
  bool finishing_ = false;
  absl::Status final_;  // what Finish sends when the write is done
  bool ended_ = false;
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_GRPC_INCOMING_STREAM_H_
