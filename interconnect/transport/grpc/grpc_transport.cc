// Puts the parts together: a server that listens, the loop that runs what gRPC
// completes, the links to the peers, and the dispatcher that tells the sinks.
#include "interconnect/transport/grpc/grpc_transport.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/rpc/address.h"
#include "base/rpc/credentials.h"
#include "base/rpc/token.h"
#include "base/status.h"
#include "interconnect/transport/dispatcher.h"
#include "interconnect/transport/frame.h"
#include "interconnect/transport/frame_filter.h"
#include "interconnect/transport/grpc/completion_loop.h"
#include "interconnect/transport/grpc/grpc_wire.h"
#include "interconnect/transport/grpc/peer_links.h"
#include "interconnect/transport/socket_buffers.h"

namespace podsim {

struct GrpcTransport::Impl {
  explicit Impl(Options given) : options(std::move(given)) {}
  ~Impl();

  absl::Status Listen();
  void TakeBack(const FrameFilter& which);
  // The stream that a frame goes by.
  absl::StatusOr<OutgoingStream*> StreamFor(const FrameHeader& header);
  WireHeader OnWire(const FrameHeader& header, std::size_t bytes,
                    std::uint32_t crc) const;

  const Options options;
  std::string address;  // with the port that was taken
  PodIdentity identity;
  Dispatcher dispatcher;
  grpc::AsyncGenericService service;
  std::unique_ptr<grpc::Server> server;
  std::optional<CompletionLoop> loop;
  std::optional<PeerLinks> links;
};

absl::Status GrpcTransport::Impl::Listen() {
  PODSIM_RETURN_IF_ERROR(CheckTokenShape(options.security.token));
  PODSIM_ASSIGN_OR_RETURN(Address bound, ParseAddress(options.address));
  PODSIM_ASSIGN_OR_RETURN(
      auto credentials,
      ServerCredentialsFor(options.address, options.security));
  identity.security = options.security;
  identity.pod_tag = PodTag(options.security.token);
  grpc::ServerBuilder builder;
  for (const auto& [name, value] : IciArguments()) {
    builder.AddChannelArgument(name, value);
  }
  // Two processes on one port would share its callers out at random.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  int port = 0;
  builder.AddListeningPort(bound.Target(), credentials, &port);
  builder.RegisterAsyncGenericService(&service);
  loop.emplace(builder.AddCompletionQueue());
  server = builder.BuildAndStart();
  if (server == nullptr || port <= 0) {
    return absl::UnavailableError(absl::StrCat(
        "cannot listen on ", bound.ToString(),
        ": it is in use, or its directory or interface does not exist; give "
        "another --ici_listen, such as 127.0.0.1:0 for a free port"));
  }
  if (!bound.is_unix()) bound.port = port;
  address = bound.ToString();
  return absl::OkStatus();
}

void GrpcTransport::Impl::TakeBack(const FrameFilter& which) {
  dispatcher.mailbox()->DropArrivals(which);
  links->Withdraw(which, options.linger);
}

GrpcTransport::Impl::~Impl() {
  if (links) links->Close(options.linger);
  // The shutdown ends the wait for callers. Only then may the queue go: streams
  // answer a caller that has come meanwhile.
  if (server) server->Shutdown(std::chrono::system_clock::now());
  if (links) links->Drain(options.linger);
  loop.reset();
}

absl::StatusOr<OutgoingStream*> GrpcTransport::Impl::StreamFor(
    const FrameHeader& header) {
  OutgoingStream* stream = links->StreamTo(header.to);
  if (stream == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("host ", header.to, " is not in this pod"));
  }
  if (header.key.generation != identity.generation) {
    return absl::InvalidArgumentError(
        absl::StrCat("frame of generation ", header.key.generation,
                     ", the transport is in generation ", identity.generation));
  }
  return stream;
}

WireHeader GrpcTransport::Impl::OnWire(const FrameHeader& header,
                                       std::size_t bytes,
                                       std::uint32_t crc) const {
  return {.kind = FrameKind::kData,
          .frame = header,
          .bytes = bytes,
          .payload_crc = crc,
          .pod_tag = identity.pod_tag};
}

namespace {

// Where the pod's processes listen, as far as they do so on Unix sockets.
std::vector<std::string> UnixPaths(const std::vector<IciProcess>& processes) {
  std::vector<std::string> paths;
  for (const IciProcess& process : processes) {
    const auto address = ParseAddress(process.address);
    if (address.ok() && address->is_unix()) paths.push_back(address->path);
  }
  return paths;
}

}  // namespace

GrpcTransport::GrpcTransport(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}

GrpcTransport::~GrpcTransport() = default;

absl::StatusOr<std::unique_ptr<GrpcTransport>> GrpcTransport::Start(
    Options options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  PODSIM_RETURN_IF_ERROR(impl->Listen());
  return std::unique_ptr<GrpcTransport>(new GrpcTransport(std::move(impl)));
}

const std::string& GrpcTransport::address() const { return impl_->address; }

absl::Status GrpcTransport::Connect(const std::vector<IciProcess>& processes,
                                    std::uint32_t generation,
                                    absl::Duration timeout, bool share_memory) {
  PODSIM_CHECK(!impl_->links);
  PODSIM_ASSIGN_OR_RETURN(PodMap map,
                          MapPod(processes, impl_->options.process));
  impl_->identity.generation = generation;
  impl_->dispatcher.SetHosts(
      map.local_hosts, [impl = impl_.get()](const Route& route) {
        // Hosts of this process give credit back at once, without being asked.
        if (auto* stream = impl->links->StreamTo(route.to)) {
          stream->AskForCredit(route);
        }
      });
  impl_->links.emplace(impl_->identity, std::move(map), share_memory,
                       impl_->service, *impl_->loop,
                       *impl_->dispatcher.mailbox());
  PODSIM_RETURN_IF_ERROR(Annotate(
      impl_->links->Connect(timeout),
      absl::StrCat("process ", impl_->options.process, " joins the ICI")));
  WidenSendBuffers(UnixPaths(processes));
  return absl::OkStatus();
}

const std::vector<int>& GrpcTransport::local_hosts() const {
  return impl_->dispatcher.local_hosts();
}

void GrpcTransport::SetSink(int local_host, FrameSink* sink) {
  impl_->dispatcher.SetSink(local_host, sink);
  if (sink == nullptr) impl_->TakeBack(FramesFrom(local_host));
}

void GrpcTransport::Leave(int local_host, std::shared_ptr<const void> lent) {
  SetSink(local_host, nullptr);
  impl_->dispatcher.Lend(local_host, std::move(lent));
}

absl::StatusOr<SendResult> GrpcTransport::Send(
    const FrameHeader& header, std::span<const std::byte> payload,
    std::uint64_t token) {
  Dispatcher& dispatcher = impl_->dispatcher;
  PODSIM_RETURN_IF_ERROR(dispatcher.CheckRoute(header));
  if (dispatcher.IsLocal(header.to)) {
    if (!dispatcher.Admit(header, payload.size())) return SendResult::kNoCredit;
    dispatcher.PassTo(*dispatcher.mailbox(), header, payload, token);
    return SendResult::kQueued;
  }
  PODSIM_ASSIGN_OR_RETURN(OutgoingStream* const stream,
                          impl_->StreamFor(header));
  if (!dispatcher.Admit(header, payload.size())) return SendResult::kNoCredit;
  stream->Send(
      impl_->OnWire(header, payload.size(),
                    header.checksum ? *header.checksum : Crc32c(payload)),
      payload, token);
  return SendResult::kQueued;
}

absl::StatusOr<SendResult> GrpcTransport::SendInPlace(const FrameHeader& header,
                                                      std::size_t bytes,
                                                      MakePayload make,
                                                      std::uint64_t token) {
  Dispatcher& dispatcher = impl_->dispatcher;
  PODSIM_RETURN_IF_ERROR(dispatcher.CheckRoute(header));
  if (dispatcher.IsLocal(header.to)) return SendResult::kNoPlace;
  PODSIM_ASSIGN_OR_RETURN(OutgoingStream* const stream,
                          impl_->StreamFor(header));
  const std::optional<Places> places = stream->PlacesFor(bytes);
  if (!places) return SendResult::kNoPlace;
  if (!dispatcher.Admit(header, bytes)) return SendResult::kNoCredit;
  const absl::StatusOr<std::uint32_t> crc = make(*places);
  if (!crc.ok()) {
    dispatcher.mailbox()->Push(
        CreditBack{.route = RouteOf(header), .charge = ChargeOf(bytes)});
    return crc.status();
  }
  stream->SendPlaced(impl_->OnWire(header, bytes, *crc), token);
  return SendResult::kQueued;
}

int GrpcTransport::Poll(absl::Duration max_wait) {
  CompletionLoop& loop = *impl_->loop;
  Dispatcher& dispatcher = impl_->dispatcher;
  const auto until = CompletionLoop::After(max_wait);
  for (;;) {
    // One completion at a time: to look for more costs a system call, and what
    // has come may be what everybody waits for.
    if (dispatcher.mailbox()->size() == 0 && impl_->links) {
      loop.RunOneSoon(until, *impl_->links);
    } else if (!impl_->links) {
      loop.RunOne(until);
    }
    const int delivered = dispatcher.Deliver();
    if (impl_->links) impl_->links->Tidy();
    if (loop.TakeWake() || delivered > 0 || CompletionLoop::Passed(until)) {
      return delivered;
    }
  }
}

void GrpcTransport::Wake() { impl_->loop->Wake(); }

}  // namespace podsim
