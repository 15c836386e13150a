// Two ways to read (along K where it is contiguous, else two rows of K side by
// side), one transposition where the other side's layout is asked for. Loops
// have fixed lengths, so that the compiler makes vectors of them; edges are
// copied to a padded row first.
#include "models/kernels/amx_pack.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "models/kernels/rounded_bits.h"

namespace podsim::module {
namespace {

// `count` floats, or a copy padded with zeros to kLength if they are fewer.
template <std::int64_t kLength>
class Padded {
 public:
  Padded(const float* from, std::int64_t count) : values_(from) {
    if (count == kLength) return;
    std::copy_n(from, count, copy_);
    std::fill(copy_ + count, copy_ + kLength, 0.0f);
    values_ = copy_;
  }
  Padded(const Padded&) = delete;
  Padded& operator=(const Padded&) = delete;

  // The bits of value i as bfloat16, in the high half.
  template <Side kSide>
  std::uint32_t bits(std::int64_t i) const {
    const auto bits = std::bit_cast<std::uint32_t>(values_[i]);
    return kSide == Side::kB ? RoundedBits(bits) : bits & 0xffff0000u;
  }

 private:
  const float* values_;
  float copy_[kLength];
};

// Row r becomes line r: the layout of A.
template <Side kSide>
void ReadAlongK(const float* from, std::int64_t stride, std::int64_t lines,
                std::int64_t depth, Tile& to) {
  for (std::int64_t line = 0; line < lines; ++line) {
    const Padded<kTileDepth> row(from + line * stride, depth);
    std::uint16_t halves[kTileDepth];
    for (std::int64_t i = 0; i < kTileDepth; ++i) {
      halves[i] = static_cast<std::uint16_t>(row.bits<kSide>(i) >> 16);
    }
    std::memcpy(to.pairs[line], halves, sizeof halves);
  }
  for (std::int64_t line = lines; line < kTileRows; ++line) {
    std::fill_n(to.pairs[line], kTileRows, 0u);
  }
}

// Row p becomes K = 2p and 2p + 1: the layout of B.
template <Side kSide>
void ReadAcrossK(const float* from, std::int64_t stride, std::int64_t lines,
                 std::int64_t depth, Tile& to) {
  for (std::int64_t pair = 0; pair < kTileRows; ++pair) {
    const std::int64_t k = 2 * pair;
    const bool has_low = k < depth, has_high = k + 1 < depth;
    const Padded<kTileRows> low(has_low ? from + k * stride : from,
                                has_low ? lines : 0);
    const Padded<kTileRows> high(has_high ? from + (k + 1) * stride : from,
                                 has_high ? lines : 0);
    for (std::int64_t line = 0; line < kTileRows; ++line) {
      to.pairs[pair][line] =
          low.bits<kSide>(line) >> 16 | high.bits<kSide>(line);
    }
  }
}

// A row of a tile.
using Lanes = std::uint32_t __attribute__((vector_size(64)));

// Interleaving row i with row i + 8 moves the top bit of the row's number to
// the bottom of the column's, and the column's top bit to the bottom of the
// row's. Four times over, the two numbers have changed places.
void Transpose(Tile& tile) {
  Lanes rows[kTileRows];
  std::memcpy(rows, tile.pairs, sizeof rows);
  for (int pass = 0; pass < 4; ++pass) {
    Lanes mixed[kTileRows];
    for (std::int64_t i = 0; i < kTileRows / 2; ++i) {
      const Lanes& x = rows[i];
      const Lanes& y = rows[i + kTileRows / 2];
      mixed[2 * i] = __builtin_shufflevector(x, y, 0, 16, 1, 17, 2, 18, 3, 19,
                                             4, 20, 5, 21, 6, 22, 7, 23);
      mixed[2 * i + 1] = __builtin_shufflevector(
          x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
    std::memcpy(rows, mixed, sizeof rows);
  }
  std::memcpy(tile.pairs, rows, sizeof rows);
}

template <Side kSide>
void PackTiles(const Operand& operand, std::int64_t line, std::int64_t lines,
               std::int64_t k, std::int64_t depth, Tile& to) {
  if (operand.contiguous_k) {
    ReadAlongK<kSide>(operand.data + line * operand.stride + k, operand.stride,
                      lines, depth, to);
  } else {
    ReadAcrossK<kSide>(operand.data + k * operand.stride + line, operand.stride,
                       lines, depth, to);
  }
  if (operand.contiguous_k != (kSide == Side::kA)) Transpose(to);
}

}  // namespace

void PackTile(Side side, const Operand& operand, std::int64_t line,
              std::int64_t lines, std::int64_t k, std::int64_t depth,
              Tile& to) {
  const auto pack =
      side == Side::kA ? PackTiles<Side::kA> : PackTiles<Side::kB>;
  pack(operand, line, lines, k, depth, to);
}

void PackStrips(Side side, const Operand& operand, std::int64_t first,
                std::int64_t lines, std::int64_t k, std::int64_t depth,
                Tile* to) {
  for (std::int64_t line = 0; line < lines; line += kTileRows) {
    for (std::int64_t i = 0; i < depth; i += kTileDepth) {
      PackTile(side, operand, first + line, std::min(kTileRows, lines - line),
               k + i, std::min(kTileDepth, depth - i), *to++);
    }
  }
}

}  // namespace podsim::module
