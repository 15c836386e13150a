// Byte by byte, so that neither alignment nor the machine's byte order matters.
#include "interconnect/transport/frame.h"

#include <algorithm>
#include <concepts>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/hash.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr std::size_t kHeaderCrcOffset = 60;

template <std::integral T>
void Put(std::span<std::byte> bytes, std::size_t offset, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes[offset + i] =
        static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
  }
}

template <std::integral T>
T Get(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value |= std::to_integer<std::uint64_t>(bytes[offset + i]) << (8 * i);
  }
  return static_cast<T>(value);
}

std::uint32_t HeaderCrc(std::span<const std::byte> bytes) {
  constexpr std::array<std::byte, 4> kZero{};
  return Crc32c(kZero, Crc32c(bytes.first(kHeaderCrcOffset)));
}

absl::Status CheckMagicAndVersion(std::span<const std::byte> bytes) {
  const auto magic = Get<std::uint32_t>(bytes, 0);
  if (magic != kFrameMagic) {
    return absl::DataLossError(absl::StrFormat(
        "not a frame: magic is 0x%08x, not 0x%08x", magic, kFrameMagic));
  }
  const auto version = Get<std::uint16_t>(bytes, 4);
  if (version != kFrameVersion) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "frame has version %d, this build reads version %d; run the same "
        "build on all hosts",
        version, kFrameVersion));
  }
  return absl::OkStatus();
}

}  // namespace

std::uint64_t PodTag(std::string_view token) {
  // The prefix keeps this digest apart from any other made from the token.
  const std::string hex =
      Sha256Hex(absl::StrCat("podsim frame tag\n", std::string(token)));
  return std::stoull(hex.substr(0, 16), nullptr, 16);
}

HeaderBytes EncodeHeader(const WireHeader& header) {
  HeaderBytes bytes{};
  const FrameKey& key = header.frame.key;
  Put(bytes, 0, kFrameMagic);
  Put(bytes, 4, kFrameVersion);
  Put(bytes, 6, static_cast<std::uint8_t>(header.kind));
  Put(bytes, 7, static_cast<std::uint8_t>(header.frame.lane));
  Put(bytes, 8, header.frame.from);
  Put(bytes, 12, header.frame.to);
  Put(bytes, 16, key.generation);
  Put(bytes, 20, key.group);
  Put(bytes, 24, key.sequence);
  Put(bytes, 32, key.chunk);
  Put(bytes, 36, header.payload_crc);
  Put(bytes, 40, header.bytes);
  Put(bytes, 48, header.pod_tag);
  Put(bytes, kHeaderCrcOffset, HeaderCrc(bytes));
  return bytes;
}

absl::StatusOr<WireHeader> DecodeHeader(std::span<const std::byte> bytes) {
  if (bytes.size() < kFrameHeaderBytes) {
    return absl::DataLossError(absl::StrCat("frame truncated: ", bytes.size(),
                                            " of ", kFrameHeaderBytes,
                                            " header bytes"));
  }
  PODSIM_RETURN_IF_ERROR(CheckMagicAndVersion(bytes));
  const auto crc = Get<std::uint32_t>(bytes, kHeaderCrcOffset);
  if (crc != HeaderCrc(bytes)) {
    return absl::DataLossError(
        absl::StrFormat("frame header damaged: checksum is 0x%08x, header "
                        "says 0x%08x",
                        HeaderCrc(bytes), crc));
  }
  const auto kind = Get<std::uint8_t>(bytes, 6);
  const auto lane = Get<std::uint8_t>(bytes, 7);
  if (kind > static_cast<std::uint8_t>(FrameKind::kWake) ||
      lane > static_cast<std::uint8_t>(Lane::kExpress)) {
    return absl::DataLossError(
        absl::StrCat("frame of unknown kind ", kind, " or lane ", lane));
  }
  WireHeader header;
  header.kind = static_cast<FrameKind>(kind);
  header.frame.lane = static_cast<Lane>(lane);
  header.frame.from = Get<std::int32_t>(bytes, 8);
  header.frame.to = Get<std::int32_t>(bytes, 12);
  header.frame.key = {.generation = Get<std::uint32_t>(bytes, 16),
                      .group = Get<std::uint32_t>(bytes, 20),
                      .sequence = Get<std::uint64_t>(bytes, 24),
                      .chunk = Get<std::uint32_t>(bytes, 32)};
  header.payload_crc = Get<std::uint32_t>(bytes, 36);
  header.bytes = Get<std::uint64_t>(bytes, 40);
  header.pod_tag = Get<std::uint64_t>(bytes, 48);
  return header;
}

absl::StatusOr<WireHeader> TakeHeader(Payload::Parts& parts) {
  HeaderBytes bytes{};
  std::size_t taken = 0;
  std::size_t used_up = 0;  // parts that were header to the last byte
  for (auto& part : parts) {
    const std::size_t count = std::min(part.size(), bytes.size() - taken);
    std::copy_n(part.begin(), count, bytes.begin() + taken);
    taken += count;
    part = part.subspan(count);
    if (!part.empty()) break;
    ++used_up;
  }
  parts.erase(parts.begin(), parts.begin() + used_up);
  return DecodeHeader(std::span(bytes).first(taken));
}

absl::Status VerifyOrigin(const WireHeader& header, std::uint64_t pod_tag,
                          std::uint32_t generation) {
  if (header.pod_tag != pod_tag) {
    return absl::PermissionDeniedError(
        "frame of another pod (its tag is not from this pod's token)");
  }
  if (header.frame.key.generation != generation) {
    return absl::FailedPreconditionError(
        absl::StrCat("frame of generation ", header.frame.key.generation,
                     ", the pod is in generation ", generation));
  }
  return absl::OkStatus();
}

absl::Status VerifyLength(const WireHeader& header,
                          const Payload::Parts& payload) {
  std::uint64_t bytes = 0;
  for (const auto& part : payload) bytes += part.size();
  if (bytes == header.bytes) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      "frame payload has ", bytes, " bytes, header says ", header.bytes));
}

absl::Status CompareChecksum(std::uint32_t checksum, std::uint32_t expected) {
  if (checksum == expected) return absl::OkStatus();
  return absl::DataLossError(absl::StrFormat(
      "frame payload damaged: checksum is 0x%08x, header says 0x%08x", checksum,
      expected));
}

absl::Status VerifyPayload(const WireHeader& header,
                           const Payload::Parts& payload) {
  PODSIM_RETURN_IF_ERROR(VerifyLength(header, payload));
  std::uint32_t crc = 0;
  for (const auto& part : payload) crc = Crc32c(part, crc);
  return CompareChecksum(crc, header.payload_crc);
}

}  // namespace podsim
