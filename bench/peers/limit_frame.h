// The frame of the limit driver: a header of 64 bytes, then the payload. Both
// carry a CRC32C, as podsim's frames do.
#ifndef PODSIM_BENCH_PEERS_LIMIT_FRAME_H_
#define PODSIM_BENCH_PEERS_LIMIT_FRAME_H_

#include <cstddef>
#include <cstdint>

#include "limit_plan.h"

namespace podsim::peers {

struct FrameHeader {
  std::uint32_t magic = 0x494d494c;
  std::uint32_t from = 0;
  std::uint64_t sequence = 0;  // of the all-reduce
  std::uint64_t begin = 0;     // elements
  std::uint64_t bytes = 0;
  std::uint32_t payload_crc = 0;
  std::uint8_t unused[20] = {};
  std::uint32_t header_crc = 0;
};
static_assert(sizeof(FrameHeader) == 64);

// CRC32C state over further bytes; begin with 0. (ISA-L's state, without the
// customary inversions: as good at finding errors.)
std::uint32_t Crc(const void* bytes, std::size_t size, std::uint32_t state = 0);

// How frames are made and checked.
struct FrameRules {
  bool checksum = true;
  int rank = 0;
};

FrameHeader MakeHeader(const FrameRules& rules, std::uint64_t sequence,
                       const Op& op, std::uint32_t payload_crc);

// Dies when this is not the frame that `op` waits for.
void CheckHeader(const FrameRules& rules, std::uint64_t sequence, const Op& op,
                 const FrameHeader& header);

// Dies when the payload is damaged.
void CheckPayload(const FrameRules& rules, const Op& op,
                  const FrameHeader& header, const float* payload);

}  // namespace podsim::peers

#endif  // PODSIM_BENCH_PEERS_LIMIT_FRAME_H_
