// The streams to and from all peer processes: who is connected, who is let in,
// who is lost. Used by the thread that polls.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_GRPC_PEER_LINKS_H_
#define PODSIM_INTERCONNECT_TRANSPORT_GRPC_PEER_LINKS_H_

#include <grpcpp/generic/async_generic_service.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/log_rate.h"
#include "interconnect/transport/frame_filter.h"
#include "interconnect/transport/grpc/admission.h"
#include "interconnect/transport/grpc/completion_loop.h"
#include "interconnect/transport/grpc/grpc_wire.h"
#include "interconnect/transport/grpc/incoming_stream.h"
#include "interconnect/transport/grpc/outgoing_stream.h"
#include "interconnect/transport/mailbox.h"
#include "interconnect/transport/pod_map.h"
#include "interconnect/transport/reach.h"

namespace podsim {

class PeerLinks final : public OutgoingStream::Owner,
                        public IncomingStream::Owner,
                        public SideDoor {
 public:
  // The references must outlive the use of this object. The end: Close, the
  // server's shutdown (it ends the wait for callers), Drain. `share`: memory is
  // shared with peers that listen on Unix sockets, if both sides want it.
  PeerLinks(const PodIdentity& identity, PodMap map, bool share,
            grpc::AsyncGenericService& service, CompletionLoop& loop,
            Mailbox& mailbox);

  const PodMap& map() const { return map_; }

  // GrpcTransport::Connect without the list.
  absl::Status Connect(absl::Duration timeout);

  // The stream to the process that plays `host`; null if it is not a peer's.
  OutgoingStream* StreamTo(int host);

  // Ends the outgoing streams in good order, waits up to `linger` until peers
  // have read what was sent, and cancels what is left.
  void Close(absl::Duration linger);
  // Waits until gRPC has let go of all streams, and up to `patience` until it
  // has let go of all bytes. REQUIRES: Close was called, and the server is shut
  // down.
  void Drain(absl::Duration patience);

  // Takes these frames back, and waits up to `patience` for one that is being
  // written; after that the stream in the way is cancelled, which costs the
  // peer, and is given as much time again. (What a peer that reads nothing
  // leaves in the socket may then still change: it fails the checksum.)
  void Withdraw(const FrameFilter& which, absl::Duration patience);

  // Forgets streams and frames that have ended.
  void Tidy();

  // The side door: memory shared with peers.
  bool open() const override;
  bool Look() override;
  void SetWaiting(bool waiting) override;

 private:
  struct Peer {
    std::unique_ptr<OutgoingStream> outgoing;
    std::shared_ptr<IncomingStream> incoming;
    absl::Status lost;  // why, once it is
  };

  // Memory to share with the peer at `address`; none if it is not to be, or
  // cannot be had.
  std::unique_ptr<SharedLane> LaneTo(const std::string& address) const;
  void ListenForStream();
  ReachOfPeers Reached() const;
  // Who is not connected both ways yet; empty when all are.
  std::string Missing() const;
  void Lose(int process, const absl::Status& why);
  // Runs completions for a while, so that peers get their answers.
  void Serve(absl::Duration length);
  void CancelAll();
  bool Busy() const;
  bool Borrows(const FrameFilter& which) const;
  // Runs completions until gRPC reads no bytes of these frames, or until then.
  void AwaitBytes(const FrameFilter& which, absl::Duration patience);

  void OnOutgoingEnded(int process, const absl::Status& why) override {
    Lose(process, why);
  }
  void OnCalled() override { ListenForStream(); }
  void OnRefused(const std::string& peer, const absl::Status& why) override;
  absl::Status Admit(const IciHello& hello,
                     std::shared_ptr<IncomingStream> stream) override;
  absl::Status CheckHosts(int process, const FrameHeader& header) override {
    return CheckSender(process, header, map_);
  }
  void OnIncomingEnded(int process, const absl::Status& why) override {
    Lose(process, why);
  }
  void OnUnreadableFrame(int process, const absl::Status& why) override;

  const PodIdentity& identity_;
  const PodMap map_;
  const bool share_;
  grpc::AsyncGenericService& service_;
  CompletionLoop& loop_;
  Mailbox& mailbox_;
  std::map<int, Peer> peers_;  // by process
  // All that are open, strangers' too; the last one waits for a caller.
  std::vector<std::shared_ptr<IncomingStream>> incoming_;
  bool closing_ = false;
  const SystemClock clock_;
  LogRate refusals_;
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_GRPC_PEER_LINKS_H_
