// Loops over whole vectors have fixed lengths, so that the compiler makes
// vectors of them; edges are copied to a padded row first.
#include "models/kernels/pair_pack.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "models/kernels/register_block.h"
#include "models/kernels/rounded_bits.h"

namespace podsim::module {
namespace {

using Index = std::int64_t;

std::uint32_t BitsOf(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

constexpr Index kHalves = 2 * kVectorFloats;

// High halves of numbers: rounded now, or as they are, having been.
template <bool kRound>
void Halves(const float* from, std::uint16_t* to) {
#pragma omp simd
  for (Index i = 0; i < kHalves; ++i) {
    const std::uint32_t bits = BitsOf(from[i]);
    to[i] =
        static_cast<std::uint16_t>((kRound ? RoundedBits(bits) : bits) >> 16);
  }
}

template <bool kRound>
void HalvesAlongK(Index k, const float* from, float* to) {
  std::uint16_t halves[kHalves];
  Index i = 0;
  for (; i + kHalves <= k; i += kHalves) {
    Halves<kRound>(from + i, halves);
    std::memcpy(to + i / 2, halves, sizeof halves);
  }
  if (i == k) return;
  float padded[kHalves] = {};
  std::copy_n(from + i, k - i, padded);
  Halves<kRound>(padded, halves);
  std::copy_n(reinterpret_cast<const char*>(halves),
              PairCount(k - i) * static_cast<Index>(sizeof(float)),
              reinterpret_cast<char*>(to + i / 2));
}

// `count` pairs side by side from two rows of K.
template <bool kRound>
void PairRow(Index count, const float* low, const float* high, float* to) {
#pragma omp simd
  for (Index i = 0; i < count; ++i) {
    const std::uint32_t lower =
        kRound ? RoundedBits(BitsOf(low[i])) : BitsOf(low[i]);
    const std::uint32_t upper =
        kRound ? RoundedBits(BitsOf(high[i])) : BitsOf(high[i]);
    to[i] = std::bit_cast<float>(lower >> 16 | (upper & 0xffff0000U));
  }
}

// One strip of a B that lies transposed: squares of vectors of pairs are
// turned.
void PackPairStripBt(Index k, const float* b, Index ldb, Index columns,
                     float* to) {
  using Eigen::internal::PacketBlock;
  using Eigen::internal::ploadu;
  for (Index i = 0; i < k; i += 2 * kVectorFloats) {
    const Index depth = std::min(2 * kVectorFloats, k - i);
    for (Index first = 0; first < kBlockColumns; first += kVectorFloats) {
      PacketBlock<Vector, kVectorFloats> square;
      for (Index line = 0; line < kVectorFloats; ++line) {
        float pairs[kVectorFloats] = {};
        if (first + line < columns)
          HalvesAlongK<true>(depth, b + (first + line) * ldb + i, pairs);
        square.packet[line] = ploadu<Vector>(pairs);
      }
      Eigen::internal::ptranspose(square);
      for (Index line = 0; line < PairCount(depth); ++line)
        Eigen::internal::pstore(to + (i / 2 + line) * kBlockColumns + first,
                                square.packet[line]);
    }
  }
}

}  // namespace

void PairsAlongK(std::int64_t m, std::int64_t k, const float* a,
                 std::int64_t lda, float* to, std::int64_t stride) {
  for (Index row = 0; row < m; ++row)
    HalvesAlongK<false>(k, a + row * lda, to + row * stride);
}

void PairsAcrossK(std::int64_t m, std::int64_t k, const float* a,
                  std::int64_t lda, float* to, std::int64_t stride) {
  for (Index i = 0; i + 1 < k; i += 2)
    PairRow<false>(m, a + i * lda, a + (i + 1) * lda, to + i / 2 * stride);
  if (k % 2 == 0) return;
  float* last = to + k / 2 * stride;
  for (Index row = 0; row < m; ++row)
    last[row] = std::bit_cast<float>(BitsOf(a[(k - 1) * lda + row]) >> 16);
}

std::int64_t PackedPairs(std::int64_t n, std::int64_t k) {
  return StripCount(n) * kBlockColumns * PairCount(k);
}

void PackPairs(std::int64_t /*n*/, std::int64_t k, const float* b,
               std::int64_t ldb, std::int64_t begin, std::int64_t end,
               float* packed) {
  const Index pairs = PairCount(k);
  float* strips = packed + begin * pairs;
  for (Index pair = 0; pair < pairs; ++pair) {
    for (Index column = begin; column < end; column += kBlockColumns) {
      const Index columns = std::min(kBlockColumns, end - column);
      const float* low = b + 2 * pair * ldb + column;
      const bool whole = columns == kBlockColumns && 2 * pair + 1 < k;
      float* to = strips + (column - begin) * pairs + pair * kBlockColumns;
      if (whole) {
        PairRow<true>(kBlockColumns, low, low + ldb, to);
        continue;
      }
      float padded[2][kBlockColumns] = {};
      std::copy_n(low, columns, padded[0]);
      if (2 * pair + 1 < k) std::copy_n(low + ldb, columns, padded[1]);
      PairRow<true>(kBlockColumns, padded[0], padded[1], to);
    }
  }
}

void PackPairsBt(std::int64_t /*n*/, std::int64_t k, const float* b,
                 std::int64_t ldb, std::int64_t begin, std::int64_t end,
                 float* packed) {
  for (Index column = begin; column < end; column += kBlockColumns)
    PackPairStripBt(k, b + column * ldb, ldb,
                    std::min(kBlockColumns, end - column),
                    packed + column * PairCount(k));
}

}  // namespace podsim::module
