#include "interconnect/transport/grpc/grpc_wire.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"

namespace podsim {
namespace {
// More than any hello needs; a stranger's first message is not read further.
constexpr std::size_t kMaxHelloBytes = 1024;
}  // namespace

const std::map<std::string, int>& IciArguments() {
  // Names that grpc_types.h lacks are in its transport's source only. Sizes:
  // measured as the fastest for 1 MiB messages (docs/performance.md).
  static const auto* const arguments = new std::map<std::string, int>{
      {GRPC_ARG_ENABLE_RETRIES, 0},
      {GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, -1},
      {GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, -1},
      {GRPC_ARG_HTTP2_MAX_FRAME_SIZE, 16777215},
      {GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 64 * kMiB},
      // Without its probes gRPC leaves the window of a connection at 64 KiB,
      // and a longer message stops to ask for more.
      {GRPC_ARG_HTTP2_BDP_PROBE, 1},
      {GRPC_ARG_HTTP2_WRITE_BUFFER_SIZE, 8 * kMiB},
      {"grpc.experimental.tcp_read_chunk_size", 256 * kKiB},
      {"grpc.experimental.tcp_min_read_chunk_size", 256 * kKiB},
      {"grpc.experimental.tcp_max_read_chunk_size", 4 * kMiB},
      // A line cut in silence answers no ping. Callers send them; a peer that
      // pings often is no abuser.
      {GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0},
      {GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0},
  };
  return *arguments;
}

grpc::ByteBuffer MakeMessage(const HeaderBytes& header,
                             std::span<const std::byte> payload) {
  std::array<std::byte, sizeof(HeaderBytes) + kCopiedPayloadBytes> bytes;
  PODSIM_CHECK(payload.size() <= kCopiedPayloadBytes);
  std::memcpy(bytes.data(), header.data(), header.size());
  if (!payload.empty()) {
    std::memcpy(bytes.data() + header.size(), payload.data(), payload.size());
  }
  const grpc::Slice slice(bytes.data(), header.size() + payload.size());
  return grpc::ByteBuffer(&slice, 1);
}

grpc::ByteBuffer MakeMessage(const HeaderBytes& header,
                             std::span<const std::byte> payload,
                             const std::shared_ptr<Loan>& loan) {
  // Called by gRPC, on a thread of its choice, perhaps after the stream's end.
  constexpr auto kReturnLoan = [](void* held) {
    const std::unique_ptr<std::shared_ptr<Loan>> owned(
        static_cast<std::shared_ptr<Loan>*>(held));
    (*owned)->returned.store(true, std::memory_order_release);
  };
  const grpc::Slice head(header.data(), header.size());
  // gRPC only reads it; its interface has no const here.
  void* const bytes = const_cast<std::byte*>(payload.data());
  const std::array<grpc::Slice, 2> slices = {
      head, grpc::Slice(bytes, payload.size(), kReturnLoan,
                        new std::shared_ptr<Loan>(loan))};
  return grpc::ByteBuffer(slices.data(), slices.size());
}

grpc::ByteBuffer MakeMessage(const IciHello& hello) {
  const grpc::Slice slice(hello.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

WireHeader HeaderOf(FrameKind kind, const Route& route, std::int64_t charge,
                    const PodIdentity& identity) {
  WireHeader header;
  header.kind = kind;
  header.frame = {.from = route.from, .to = route.to, .lane = route.lane};
  header.frame.key.generation = identity.generation;
  header.bytes = static_cast<std::uint64_t>(charge);
  header.pod_tag = identity.pod_tag;
  return header;
}

grpc::ByteBuffer MakeMessage(const WireHeader& header) {
  const HeaderBytes bytes = EncodeHeader(header);
  const grpc::Slice slice(bytes.data(), bytes.size());
  return grpc::ByteBuffer(&slice, 1);
}

absl::StatusOr<Message> OpenMessage(const grpc::ByteBuffer& buffer) {
  Message message;
  if (!buffer.Dump(&message.slices).ok()) {
    return absl::DataLossError("a message could not be unpacked");
  }
  message.parts.reserve(message.slices.size());
  for (const grpc::Slice& slice : message.slices) {
    message.parts.push_back(
        std::as_bytes(std::span(slice.begin(), slice.size())));
  }
  return message;
}

absl::StatusOr<IciHello> ParseHello(const grpc::ByteBuffer& buffer) {
  grpc::Slice slice;
  IciHello hello;
  if (buffer.Length() > kMaxHelloBytes ||
      !buffer.DumpToSingleSlice(&slice).ok() ||
      !hello.ParseFromArray(slice.begin(), static_cast<int>(slice.size()))) {
    return absl::InvalidArgumentError(
        "the first message on an ICI stream is not a hello");
  }
  if (hello.protocol_version() != kIciProtocolVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat("the other side speaks ICI protocol ",
                     hello.protocol_version(), ", this build speaks ",
                     kIciProtocolVersion, "; run the same build on all hosts"));
  }
  return hello;
}

}  // namespace podsim
