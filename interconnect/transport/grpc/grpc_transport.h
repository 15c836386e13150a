// Frames between processes over gRPC: one stream per ordered pair of processes.
//
//   PODSIM_ASSIGN_OR_RETURN(auto transport, GrpcTransport::Start(
//       {.process = 1, .address = "unix:/run/pod/ici-1", .security = ...}));
//   // tell the coordinator transport->address(), learn who is where
//   PODSIM_RETURN_IF_ERROR(transport->Connect(processes, generation,
//                                             absl::Seconds(10)));
//   transport->SetSink(host, &executor);
//   while (!executor.idle()) transport->Poll(absl::Milliseconds(50));
//
// A process opens a stream to each other process; frames flow from opener to
// acceptor, credits come back on the same stream, or beside it through memory
// that the two share. Frames between two hosts of
// this process touch no network. There is no thread of ours: everything but
// Wake happens on the thread that calls Connect, Send and Poll, and payloads
// must be released there too.
//
// A stream is taken only with the pod's token and for the same generation.
// A stream that breaks takes the whole process for lost (OnPeerLost for each
// of its hosts); nothing is resent. A peer that hangs is not noticed here, its
// lease at the coordinator is.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_GRPC_GRPC_TRANSPORT_H_
#define PODSIM_INTERCONNECT_TRANSPORT_GRPC_GRPC_TRANSPORT_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/rpc/security.h"
#include "interconnect/transport/endpoint.h"
#include "interconnect/transport/pod_map.h"

namespace podsim {

class GrpcTransport final : public Transport {
 public:
  struct Options {
    int process = 0;  // index of this process in the pod
    // Where to listen; port 0 takes any free one.
    std::string address;
    RpcSecurity security;
    // How long the destructor and SetSink with nullptr wait for peers to read
    // what was sent.
    absl::Duration linger = absl::Milliseconds(100);
  };

  // Listens, and answers nobody before Connect.
  // Errors: INVALID_ARGUMENT (address or token), FAILED_PRECONDITION (plain
  //   text beyond this machine), UNAVAILABLE (cannot listen there).
  static absl::StatusOr<std::unique_ptr<GrpcTransport>> Start(Options options);

  // Tells the peers goodbye and waits up to `linger` for them; frames without
  // OnSendDone may be lost. The bytes of all frames are free afterwards.
  ~GrpcTransport() override;

  // Where this process listens, with the port that was taken.
  const std::string& address() const;

  // Opens the streams and waits until all peers are connected both ways.
  // `processes` is the whole pod, this process included, and the same list
  // everywhere; all of them must be in Connect at the same time. Afterwards the
  // hosts are known; call it once. After an error only the destructor is left.
  // `share_memory`: frames to and from processes on Unix sockets go through
  // memory shared with them, where both want it and the system allows it; the
  // streams then wake, tell who is there, and take what finds no room.
  // Errors: INVALID_ARGUMENT (the list), UNAUTHENTICATED (a peer has another
  //   token), FAILED_PRECONDITION (a peer is in another generation, or speaks
  //   another protocol version), DEADLINE_EXCEEDED (names who is missing),
  //   UNAVAILABLE (a peer has gone), CANCELLED (Wake was called).
  absl::Status Connect(const std::vector<IciProcess>& processes,
                       std::uint32_t generation, absl::Duration timeout,
                       bool share_memory = true);

  const std::vector<int>& local_hosts() const override;
  void SetSink(int local_host, FrameSink* sink) override;
  void Leave(int local_host, std::shared_ptr<const void> lent) override;
  absl::StatusOr<SendResult> Send(const FrameHeader& header,
                                  std::span<const std::byte> payload,
                                  std::uint64_t token) override;
  absl::StatusOr<SendResult> SendInPlace(const FrameHeader& header,
                                         std::size_t bytes, MakePayload make,
                                         std::uint64_t token) override;
  int Poll(absl::Duration max_wait) override;
  void Wake() override;

 private:
  struct Impl;
  explicit GrpcTransport(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_GRPC_GRPC_TRANSPORT_H_
