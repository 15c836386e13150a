#include "limit_frame.h"

#include <isa-l/crc.h>

#include <string>

#include "options.h"

namespace podsim::peers {
namespace {

std::uint32_t HeaderCrc(const FrameHeader& header) {
  return Crc(&header, offsetof(FrameHeader, header_crc));
}

}  // namespace

std::uint32_t Crc(const void* bytes, std::size_t size, std::uint32_t state) {
  return crc32_iscsi(static_cast<unsigned char*>(const_cast<void*>(bytes)),
                     static_cast<int>(size), state);
}

FrameHeader MakeHeader(const FrameRules& rules, std::uint64_t sequence,
                       const Op& op, std::uint32_t payload_crc) {
  FrameHeader header;
  header.from = static_cast<std::uint32_t>(rules.rank);
  header.sequence = sequence;
  header.begin = op.begin;
  header.bytes = op.count * sizeof(float);
  header.payload_crc = payload_crc;
  if (rules.checksum) header.header_crc = HeaderCrc(header);
  return header;
}

void CheckHeader(const FrameRules& rules, std::uint64_t sequence, const Op& op,
                 const FrameHeader& header) {
  const bool whole = !rules.checksum || header.header_crc == HeaderCrc(header);
  if (whole && header.magic == FrameHeader().magic &&
      header.from == static_cast<std::uint32_t>(op.peer) &&
      header.sequence == sequence && header.bytes == op.count * sizeof(float)) {
    return;
  }
  Die("rank " + std::to_string(rules.rank) + ": a frame from rank " +
      std::to_string(op.peer) + " that is damaged or was not expected");
}

void CheckPayload(const FrameRules& rules, const Op& op,
                  const FrameHeader& header, const float* payload) {
  if (!rules.checksum) return;
  if (Crc(payload, op.count * sizeof(float)) == header.payload_crc) return;
  Die("rank " + std::to_string(rules.rank) + ": damaged bytes from rank " +
      std::to_string(op.peer));
}

}  // namespace podsim::peers
