// The opener's end of a stream to one peer process: frames go out, credits come
// back. Used by the thread that polls the completion queue.
//
// Where both processes are on one machine, frames and credits go through memory
// that they share, and over the stream only what finds no room there. Such a
// frame keeps its place: none is put into the memory while one waits to be
// written, and each there is marked with how many were written before it.
//
// Life: connecting -> greeted (our hello was answered) -> ended (status known).
#ifndef PODSIM_INTERCONNECT_TRANSPORT_GRPC_OUTGOING_STREAM_H_
#define PODSIM_INTERCONNECT_TRANSPORT_GRPC_OUTGOING_STREAM_H_

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "interconnect/transport/credit.h"
#include "interconnect/transport/frame.h"
#include "interconnect/transport/frame_filter.h"
#include "interconnect/transport/grpc/completion_loop.h"
#include "interconnect/transport/grpc/grpc_wire.h"
#include "interconnect/transport/mailbox.h"
#include "interconnect/transport/shared/shared_lane.h"

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

  // Begins to connect, and offers memory to share if `lane` is some. The
  // references must outlive this object.
  OutgoingStream(std::shared_ptr<grpc::Channel> channel,
                 const PodIdentity& identity, IciHello hello,
                 std::unique_ptr<SharedLane> lane, grpc::CompletionQueue& queue,
                 Mailbox& mailbox, Owner& owner);

  // Queues a data frame; SendDone goes to the mailbox when it is copied, when
  // gRPC has written it, or has let go of it because the stream has ended.
  void Send(const WireHeader& header, std::span<const std::byte> payload,
            std::uint64_t token);
  // Where the payload of a data frame would lie in shared memory; none: there
  // is no such place now. Then SendPlaced, with nothing sent in between.
  std::optional<Places> PlacesFor(std::size_t bytes);
  // Sends the frame whose payload was written there.
  void SendPlaced(const WireHeader& header, std::uint64_t token);
  // Asks the acceptor to return the credit of `route` as soon as it can.
  void AskForCredit(const Route& route);

  bool greeted() const { return greeted_; }
  bool ended() const { return ended_; }
  // Frames go through shared memory.
  bool sharing() const { return sharing_; }
  // Takes the credits that have come that way; false if none have.
  bool TakeShared();
  void SetWaiting(bool waiting);
  // gRPC still works for this object.
  bool busy() const;

  // Takes back those of these frames whose bytes are lent and that are not
  // being written.
  void Withdraw(const FrameFilter& which);
  // gRPC still reads bytes of these frames.
  bool Borrows(const FrameFilter& which) const;
  // Lets go of a call that has ended, and notices what gRPC has let go of
  // without a completion.
  void Tidy();

  // Ends the stream in good order, after what was told as sent.
  void Close();
  // Ends it at once.
  void Cancel();

 private:
  // What a frame took from its route's bound.
  struct Charge {
    FrameHeader frame;
    std::int64_t bytes = 0;
  };
  // A data frame whose bytes are the caller's, and whom to tell when it is out.
  struct Sending {
    Charge charge;
    std::uint64_t token = 0;
    std::shared_ptr<Loan> loan;
  };
  struct Queued {
    const Charge* charge() const {
      if (data) return &data->charge;
      return copied ? &*copied : nullptr;
    }
    grpc::ByteBuffer message;
    std::optional<Sending> data;   // none for a copy or a request
    std::optional<Charge> copied;  // of a frame that holds its own bytes
  };

  void OnStarted(bool ok);
  void OnRead(bool ok);
  void OnWritten(bool ok);
  void OnFinished();

  absl::Status Greet();
  absl::Status TakeCredit(absl::StatusOr<WireHeader> header);
  absl::Status TakeCreditMessage();
  absl::Status TakeSharedCredit();
  // Nothing stands against sending.
  bool open() const;
  // Has the lane's memory filled, once; false: there is none.
  bool FillLane();
  // A frame may go through shared memory now: none waits for the stream.
  bool MayShare();
  // Puts a frame into shared memory; false if it must go over the stream.
  bool Share(const WireHeader& header, std::span<const std::byte> payload);
  // Wakes the acceptor if it sleeps, now that a frame was put.
  void WakePeer(const WireHeader& header);
  void Enqueue(Lane lane, Queued frame);
  void WriteNext();
  void TellDone(const Sending& sending);
  // Forgets a frame that will not be written.
  void Drop(const Queued& frame);
  void DropAll();
  void Finish();

  const PodIdentity& identity_;
  const IciHello hello_;
  Mailbox& mailbox_;
  Owner& owner_;
  grpc::GenericStub stub_;
  // The call; gone when it has ended.
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;

  Operation start_, read_, write_, finish_;
  grpc::ByteBuffer incoming_;
  grpc::Status result_;
  absl::Status error_;  // ours: the acceptor broke the protocol

  const std::unique_ptr<SharedLane> lane_;  // none: not on this machine
  bool sharing_ = false;
  bool filled_ = false;         // all of the lane's memory is there
  std::uint32_t streamed_ = 0;  // data frames given to the stream

  std::deque<Queued> express_, bulk_;
  bool writing_data_ = false;
  std::optional<Sending> writing_;
  std::vector<Sending> failed_;  // not written, and perhaps not let go of yet
  bool greeted_ = false;
  bool closing_ = false;
  bool half_closed_ = false;
  bool ended_ = false;
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_GRPC_OUTGOING_STREAM_H_
