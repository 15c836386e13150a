// The opener's end of a stream to one peer process: frames go out, credits come
// back. Used by the thread that polls the completion queue.
//
// Life: connecting -> greeted (our hello was answered) -> ended (status known).
#ifndef PODSIM_INTERCONNECT_TRANSPORT_OUTGOING_STREAM_H_
#define PODSIM_INTERCONNECT_TRANSPORT_OUTGOING_STREAM_H_

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "interconnect/transport/completion_loop.h"
#include "interconnect/transport/credit.h"
#include "interconnect/transport/frame.h"
#include "interconnect/transport/grpc_wire.h"
#include "interconnect/transport/mailbox.h"

namespace podsim {

class OutgoingStream {
 public:
  // Told from within operations of the completion queue.
  class Owner {
   public:
    virtual ~Owner() = default;
    // No more frames will go out or credits come in.
    virtual void OnOutgoingEnded(int process, const absl::Status& why) = 0;
  };

  // Begins to connect. The references must outlive this object.
  OutgoingStream(std::shared_ptr<grpc::Channel> channel,
                 const PodIdentity& identity, IciHello hello,
                 grpc::CompletionQueue& queue, Mailbox& mailbox, Owner& owner);

  // Queues a data frame; SendDone goes to the mailbox when it is written, or
  // dropped because the stream has ended.
  void Send(const WireHeader& header, std::span<const std::byte> payload,
            std::uint64_t token);
  // Asks the acceptor to return the credit of `route` as soon as it can.
  void AskForCredit(const Route& route);

  bool greeted() const { return greeted_; }
  bool ended() const { return ended_; }
  // gRPC still works for this object.
  bool busy() const;

  // Ends the stream in good order: no frames after the one being written.
  void Close();
  // Ends it at once.
  void Cancel() { context_.TryCancel(); }

 private:
  struct Queued {
    grpc::ByteBuffer message;
    std::optional<SendDone> done;  // none for what is not data
  };

  void OnStarted(bool ok);
  void OnRead(bool ok);
  void OnWritten(bool ok);
  void OnFinished();

  absl::Status Greet();
  absl::Status TakeCredit();
  void Enqueue(Lane lane, Queued frame);
  void WriteNext();
  void DropQueue();
  void Finish();

  const PodIdentity& identity_;
  const IciHello hello_;
  Mailbox& mailbox_;
  Owner& owner_;
  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;

  Operation start_, read_, write_, finish_;
  grpc::ByteBuffer incoming_;
  grpc::Status result_;
  absl::Status error_;  // ours: the acceptor broke the protocol

  std::deque<Queued> express_, bulk_;
  std::optional<SendDone> writing_;  // of the frame being written
  bool greeted_ = false;
  bool closing_ = false;
  bool half_closed_ = false;
  bool ended_ = false;
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_OUTGOING_STREAM_H_
