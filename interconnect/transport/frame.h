// The wire format of a frame: a 64-byte header, then the payload. Pure.
//
// All numbers are little-endian. The header's checksum covers the header with
// the checksum field zero; the payload's covers the payload. CRC32C finds every
// single flipped bit, so no frame with one is ever taken for good.
//
//   offset bytes                     offset bytes
//        0     4  magic "PICI"           32     4  chunk
//        4     2  version                36     4  CRC32C of the payload
//        6     1  kind                   40     8  bytes (see WireHeader)
//        7     1  lane                   48     8  pod tag
//        8     4  from                   56     4  zero
//       12     4  to                     60     4  CRC32C of the header
//       16     4  generation
//       20     4  group
//       24     8  sequence
#ifndef PODSIM_INTERCONNECT_TRANSPORT_FRAME_H_
#define PODSIM_INTERCONNECT_TRANSPORT_FRAME_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "interconnect/transport/endpoint.h"

namespace podsim {

inline constexpr std::size_t kFrameHeaderBytes = 64;
inline constexpr std::uint32_t kFrameMagic = 0x49434950;  // "PICI" in memory
inline constexpr std::uint16_t kFrameVersion = 1;

enum class FrameKind : std::uint8_t {
  kData = 0,
  // The receiver gives `bytes` of the route's bound back to the sender.
  kCredit = 1,
  // The sender is held back and asks for what the receiver has not yet given
  // back (credits are otherwise collected into few large ones).
  kCreditRequest = 2,
  // Something was put into shared memory, where the receiver does not look
  // while it sleeps.
  kWake = 3,
};

struct WireHeader {
  FrameKind kind = FrameKind::kData;
  // Of a credit or request: from, to and lane of the data it is about.
  FrameHeader frame;
  // Data: length of the payload. Credit: what is given back.
  std::uint64_t bytes = 0;
  std::uint32_t payload_crc = 0;
  std::uint64_t pod_tag = 0;
};

using HeaderBytes = std::array<std::byte, kFrameHeaderBytes>;

// 64 bits that tell pods apart, from the token by SHA-256 (the token itself
// cannot be found from it).
std::uint64_t PodTag(std::string_view token);

HeaderBytes EncodeHeader(const WireHeader& header);

// Reads and checks a header.
// Errors: DATA_LOSS (truncated, wrong magic, checksum, unknown kind or lane),
//   FAILED_PRECONDITION (another version of the format).
absl::StatusOr<WireHeader> DecodeHeader(std::span<const std::byte> bytes);

// Moves the first 64 bytes of a message out of `parts`, however they straddle,
// and decodes them; what is left in `parts` is the payload.
// Errors: those of DecodeHeader.
absl::StatusOr<WireHeader> TakeHeader(Payload::Parts& parts);

// Errors: PERMISSION_DENIED (another pod's tag), FAILED_PRECONDITION (another
//   generation).
absl::Status VerifyOrigin(const WireHeader& header, std::uint64_t pod_tag,
                          std::uint32_t generation);

// Errors: DATA_LOSS (the length differs from the header's).
absl::Status VerifyLength(const WireHeader& header,
                          const Payload::Parts& payload);

// `checksum` of the bytes that came against the one that was sent.
// Errors: DATA_LOSS (they differ).
absl::Status CompareChecksum(std::uint32_t checksum, std::uint32_t expected);

// Both. Errors: DATA_LOSS (length or checksum differs from the header's).
absl::Status VerifyPayload(const WireHeader& header,
                           const Payload::Parts& payload);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_FRAME_H_
