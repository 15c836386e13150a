// What both ends of a gRPC stream share: names, channel arguments, and the step
// between ByteBuffers and frames.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_GRPC_GRPC_WIRE_H_
#define PODSIM_INTERCONNECT_TRANSPORT_GRPC_GRPC_WIRE_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/rpc/security.h"
#include "interconnect/transport/credit.h"
#include "interconnect/transport/frame.h"
#include "proto/ici.pb.h"

namespace podsim {

inline constexpr char kIciMethod[] = "/podsim.Ici/Exchange";
inline constexpr int kIciProtocolVersion = 1;

// What a process must know to be let in, and puts on every frame.
struct PodIdentity {
  RpcSecurity security;
  std::uint64_t pod_tag = 0;
  std::uint32_t generation = 0;
};

// Integer channel arguments of both ends: large frames and windows (credits of
// ours bound what is in flight), no guessing of the bandwidth, no retries (they
// would keep the caller's bytes after write-done).
const std::map<std::string, int>& IciArguments();

// The caller's bytes in gRPC's hands.
struct Loan {
  std::atomic<bool> returned = false;
};

// Payloads up to this size travel as a copy beside their header: one slice is
// cheaper than two, and the sender's bytes are free at once.
inline constexpr std::size_t kCopiedPayloadBytes = 16 << 10;

// A message that copies header and payload.
// REQUIRES: payload.size() <= kCopiedPayloadBytes.
grpc::ByteBuffer MakeMessage(const HeaderBytes& header,
                             std::span<const std::byte> payload);
// A message that copies the header and points to the payload. The loan counts
// as returned when gRPC has dropped its last reference to the payload. (A write
// that is done in good order is proof as well: without retries and buffer hint
// gRPC reports it when the bytes have gone. A failed one is not.)
grpc::ByteBuffer MakeMessage(const HeaderBytes& header,
                             std::span<const std::byte> payload,
                             const std::shared_ptr<Loan>& loan);
grpc::ByteBuffer MakeMessage(const IciHello& hello);
// Of what is no data: a credit, a request for it, a call to wake up.
WireHeader HeaderOf(FrameKind kind, const Route& route, std::int64_t charge,
                    const PodIdentity& identity);
grpc::ByteBuffer MakeMessage(const WireHeader& header);

// The slices of a message, and the same as spans.
struct Message {
  std::vector<grpc::Slice> slices;  // own the bytes
  Payload::Parts parts;
};
// Errors: DATA_LOSS (gRPC could not unpack it).
absl::StatusOr<Message> OpenMessage(const grpc::ByteBuffer& buffer);

// Errors: INVALID_ARGUMENT (not a hello), FAILED_PRECONDITION (another protocol
//   version).
absl::StatusOr<IciHello> ParseHello(const grpc::ByteBuffer& buffer);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_GRPC_GRPC_WIRE_H_
