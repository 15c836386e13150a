// How operands are laid out for a bfloat16 tile unit (AMX): 1 KiB tiles of 16
// rows, each of 16 pairs of bfloat16 numbers that are neighbours along K.
//
//   A's tile: row r holds row r of A,        pair p its K = 2p and 2p + 1
//   B's tile: row p holds K = 2p and 2p + 1, pair c column c of B
//
// A product of two such tiles is 16 x 16 and sums over kTileDepth of K.
#ifndef PODSIM_MODELS_KERNELS_AMX_PACK_H_
#define PODSIM_MODELS_KERNELS_AMX_PACK_H_

#include <cstdint>

#include "models/kernels/kernel_table.h"

namespace podsim::module {

inline constexpr std::int64_t kTileRows = 16;   // also pairs in a row
inline constexpr std::int64_t kTileDepth = 32;  // K that one tile covers

// A pair's lower half is the one of lower K.
struct alignas(64) Tile {
  std::uint32_t pairs[kTileRows][kTileRows];
};

// A matrix as a product sees it: lines (A's rows or B's columns) by K. Element
// (line, i) is data[line * stride + i] if K is contiguous, else
// data[i * stride + line].
struct Operand {
  const float* data;
  std::int64_t stride;
  bool contiguous_k;
};

enum class Side : std::uint8_t { kA, kB };

// Lines [line, line + lines) and K [k, k + depth) as one tile, zeros beyond.
// B's values are rounded to bfloat16 on the way; of A's, which must have been,
// the high half is taken. REQUIRES: lines <= kTileRows, depth <= kTileDepth.
void PackTile(Side side, const Operand& operand, std::int64_t line,
              std::int64_t lines, std::int64_t k, std::int64_t depth, Tile& to);

// Lines [first, first + lines) by K [k, k + depth): strips of kTileRows lines,
// one after the other, each a row of tiles along K.
void PackStrips(Side side, const Operand& operand, std::int64_t first,
                std::int64_t lines, std::int64_t k, std::int64_t depth,
                Tile* to);

constexpr std::int64_t TileCount(std::int64_t size, std::int64_t tile) {
  return (size + tile - 1) / tile;
}

// Tiles of B[K,N] when packed: all of it in the order of PackStrips.
constexpr std::int64_t PackedTiles(std::int64_t n, std::int64_t k) {
  return TileCount(n, kTileRows) * TileCount(k, kTileDepth);
}

// Columns [begin, end) of B to where they belong in `packed`.
// REQUIRES: `begin` is a multiple of kTileRows; `end` is one too, or N.
inline void PackColumns(std::int64_t k, const Operand& b, std::int64_t begin,
                        std::int64_t end, Tile* packed) {
  PackStrips(Side::kB, b, begin, end - begin, 0, k,
             packed + PackedTiles(begin, k));
}

// Where packed strips are read, `next` tiles from one to the next.
struct Strips {
  const Tile* tiles;
  std::int64_t next;

  // Strip `strip`, `tile` tiles along K.
  Strips From(std::int64_t strip, std::int64_t tile) const {
    return {tiles + strip * next + tile, next};
  }
};

static_assert(kColumnCut % kTileRows == 0);
static_assert(kPackedAlignment % alignof(Tile) == 0);

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_AMX_PACK_H_
