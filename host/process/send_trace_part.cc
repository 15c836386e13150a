#include "host/process/send_trace_part.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <memory>

#include "base/rpc/credentials.h"
#include "base/rpc/deadline.h"
#include "base/rpc/status.h"
#include "base/status.h"
#include "proto/trace.grpc.pb.h"

namespace podsim {
namespace {

constexpr absl::Duration kLongestSend = absl::Minutes(2);
// About 150 bytes each, so that a piece is far below gRPC's 4 MiB.
constexpr int kSpansOfPiece = 4096;

// The piece that begins with span `first`.
TracePart PieceOf(const TracePart& whose, const TracePart& part, int first) {
  const int end = std::min(part.spans_size(), first + kSpansOfPiece);
  TracePart piece = whose;
  for (int span = first; span < end; ++span)
    *piece.add_spans() = part.spans(span);
  piece.set_last(end == part.spans_size());
  return piece;
}

TracePart WithoutSpans(const TracePart& part) {
  TracePart whose;
  whose.set_process(part.process());
  whose.set_first_host(part.first_host());
  whose.set_hosts(part.hosts());
  whose.set_cores_per_host(part.cores_per_host());
  whose.set_generation(part.generation());
  whose.set_offset_ns(part.offset_ns());
  whose.set_uncertainty_ns(part.uncertainty_ns());
  whose.set_round_trips(part.round_trips());
  whose.set_dropped(part.dropped());
  return whose;
}

}  // namespace

absl::Status SendTracePart(const std::string& address,
                           const RpcSecurity& security, const TracePart& part,
                           const std::function<void()>& on_progress) {
  PODSIM_ASSIGN_OR_RETURN(auto channel, OpenChannel(address, security));
  const auto stub = TraceKeeper::NewStub(channel);
  grpc::ClientContext context;
  AttachToken(security, context);
  SetDeadline(context, kLongestSend);
  TraceKept kept;
  const auto stream = stub->Keep(&context, &kept);
  const TracePart whose = WithoutSpans(part);
  int first = 0;
  do {
    // Finish says why it takes no more.
    if (!stream->Write(PieceOf(whose, part, first))) break;
    if (on_progress) on_progress();
    first += kSpansOfPiece;
  } while (first < part.spans_size());
  stream->WritesDone();
  return FromGrpcStatus(stream->Finish());
}

}  // namespace podsim
