// The inner loops of a collective: received bytes into the buffer, and values
// onto the wire.
//
// The parts of a payload are in order, start anywhere, and an element may
// straddle two of them. Elements travel in the machine's own byte order
// (little-endian on every machine that podsim runs on). The loops are compiled
// for AVX2 too, and chosen when the program starts; no result depends on that.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_REDUCE_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_REDUCE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interconnect/collectives/element.h"

namespace podsim {

using ReceivedParts = std::vector<std::span<const std::byte>>;

// How elements are held, combined and sent; see CollectiveBuffer.
struct ElementRules {
  ElementType type = ElementType::kFloat32;
  ReductionOp op = ReductionOp::kSum;
  ElementType wire = ElementType::kFloat32;
};

// CRC-32Cs to be continued while the bytes are in the cache; null: not wanted.
struct Checksums {
  std::uint32_t* received = nullptr;  // over the parts
  std::uint32_t* result = nullptr;    // over what is made of them
};

// How a copy is stored in the buffer: through the caches, or past them, which
// is for what is not read again before they would have lost it.
enum class Stores { kCached, kStreaming };

// mine[i] = received[i] (+) mine[i], in this operand order. The result that is
// checksummed is `mine`.
// REQUIRES: the parts hold exactly as many elements of `wire` as `mine` has of
// `type`; `mine` is aligned to its elements.
void ReduceReceived(const ElementRules& rules, const ReceivedParts& parts,
                    std::span<std::byte> mine, const Checksums& crc = {});

// mine[i] = received[i]. REQUIRES and `crc`: as above.
void CopyReceived(const ElementRules& rules, const ReceivedParts& parts,
                  std::span<std::byte> mine, const Checksums& crc = {},
                  Stores stores = Stores::kCached);

// onward[i] = received[i] (+) mine[i] as an element of `wire`: what would go
// onto the wire after ReduceReceived. With `keep`, mine[i] becomes that value
// too; without, `mine` is only read. The result that is checksummed is
// `onward`.
// REQUIRES: as above; `onward` holds as many elements of `wire`, aligned.
void ReduceOnward(const ElementRules& rules, const ReceivedParts& parts,
                  std::span<std::byte> mine, bool keep,
                  std::span<std::byte> onward, const Checksums& crc = {});

// onward = received, and mine[i] = received[i]. REQUIRES and `crc`: as above.
void CopyOnward(const ElementRules& rules, const ReceivedParts& parts,
                std::span<std::byte> mine, std::span<std::byte> onward,
                const Checksums& crc = {}, Stores stores = Stores::kCached);

// mine[i] = other[i] (+) mine[i]. REQUIRES: as long as each other, aligned.
void ReduceLocal(const ElementRules& rules, std::span<const std::byte> other,
                 std::span<std::byte> mine);

// wire[i] = mine[i] rounded to bfloat16, nearest even; with `keep`, mine[i]
// becomes that value too. NaN stays NaN.
// REQUIRES: wire is half as long as mine, both aligned.
void RoundToWire(std::span<std::byte> mine, bool keep,
                 std::span<std::byte> wire);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_REDUCE_H_
