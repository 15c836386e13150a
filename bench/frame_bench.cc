// Frames: the header alone, and the message that gRPC is given for one and
// gives back, checksums of the payload included.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/hash.h"
#include "base/status.h"
#include "bench/beside_copy.h"
#include "bench/collectives_bench.h"
#include "bench/whole_numbers.h"
#include "interconnect/transport/frame.h"
#include "interconnect/transport/grpc/grpc_wire.h"

namespace podsim {
namespace {

constexpr std::uint32_t kGeneration = 3;
constexpr std::uint64_t kPodTag = 0x0123456789abcdef;

WireHeader HeaderOf(std::span<const std::byte> payload) {
  return {.frame = {.from = 1,
                    .to = 2,
                    .lane = Lane::kExpress,
                    .key = {.generation = kGeneration,
                            .group = 4,
                            .sequence = 5,
                            .chunk = 6}},
          .bytes = payload.size(),
          .payload_crc = Crc32c(payload),
          .pod_tag = kPodTag};
}

bool AreAlike(const WireHeader& a, const WireHeader& b) {
  return a.kind == b.kind && a.frame.from == b.frame.from &&
         a.frame.to == b.frame.to && a.frame.lane == b.frame.lane &&
         a.frame.key == b.frame.key && a.bytes == b.bytes &&
         a.payload_crc == b.payload_crc && a.pod_tag == b.pod_tag;
}

void Headers(benchmark::State& state, bool decode) {
  const WireHeader header = HeaderOf({});
  const HeaderBytes bytes = EncodeHeader(header);
  const auto decoded = DecodeHeader(bytes);
  if (!decoded.ok() || !AreAlike(*decoded, header)) {
    return state.SkipWithError("the header is wrong");
  }
  if (decode) {
    TimeBesideCopy(state, kFrameHeaderBytes,
                   [&] { benchmark::DoNotOptimize(DecodeHeader(bytes)); });
  } else {
    TimeBesideCopy(state, kFrameHeaderBytes,
                   [&] { benchmark::DoNotOptimize(EncodeHeader(header)); });
  }
}

// What a stream does with a payload to send, and with a message that came.
grpc::ByteBuffer Encode(std::span<const std::byte> payload) {
  const HeaderBytes header = EncodeHeader(HeaderOf(payload));
  if (payload.size() <= kCopiedPayloadBytes) {
    return MakeMessage(header, payload);
  }
  return MakeMessage(header, payload, std::make_shared<Loan>());
}

struct Decoded {
  Message message;  // owns the payload's bytes
  WireHeader header;
};
absl::StatusOr<Decoded> Decode(const grpc::ByteBuffer& buffer) {
  Decoded decoded;
  PODSIM_ASSIGN_OR_RETURN(decoded.message, OpenMessage(buffer));
  PODSIM_ASSIGN_OR_RETURN(decoded.header, TakeHeader(decoded.message.parts));
  PODSIM_RETURN_IF_ERROR(VerifyOrigin(decoded.header, kPodTag, kGeneration));
  PODSIM_RETURN_IF_ERROR(VerifyPayload(decoded.header, decoded.message.parts));
  return decoded;
}

bool IsPayload(const Payload::Parts& parts,
               const std::vector<std::byte>& payload) {
  std::vector<std::byte> joined;
  for (const auto& part : parts) {
    joined.insert(joined.end(), part.begin(), part.end());
  }
  return joined == payload;
}

void Messages(benchmark::State& state, bool decode) {
  const std::int64_t bytes = state.range(0);
  const std::vector<std::byte> payload =
      WholeNumbers(ElementType::kInt32, bytes / 4, 65521);
  const grpc::ByteBuffer buffer = Encode(payload);
  const auto decoded = Decode(buffer);
  if (!decoded.ok() || !AreAlike(decoded->header, HeaderOf(payload)) ||
      !IsPayload(decoded->message.parts, payload)) {
    return state.SkipWithError("the message is wrong");
  }
  if (decode) {
    TimeBesideCopy(state, bytes,
                   [&] { benchmark::DoNotOptimize(Decode(buffer)); });
  } else {
    TimeBesideCopy(state, bytes,
                   [&] { benchmark::DoNotOptimize(Encode(payload)); });
  }
}

}  // namespace

void RegisterFrames() {
  for (const bool decode : {false, true}) {
    benchmark::RegisterBenchmark(
        decode ? "frame/decode_header" : "frame/encode_header", Headers,
        decode);
    benchmark::RegisterBenchmark(
        decode ? "frame/decode_message" : "frame/encode_message", Messages,
        decode)
        ->Arg(1 << 10)
        ->Arg(kCopiedPayloadBytes)
        ->Arg(512 << 10);
  }
}

}  // namespace podsim
