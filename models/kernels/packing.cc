// Right sides of products, packed into strips of kBlockColumns columns,
// [strip][k][column], the last strip filled up with zeros.
#include <algorithm>
#include <bit>

#include "models/kernels/elementwise.h"
#include "models/kernels/products.h"
#include "models/kernels/register_block.h"
#include "models/kernels/rounded_bits.h"

namespace podsim::module {
namespace {

using Index = std::int64_t;

template <bool kRounded>
void PackRow(const float* from, float* to) {
#pragma omp simd
  for (Index i = 0; i < kBlockColumns; ++i) {
    to[i] = kRounded ? std::bit_cast<float>(
                           RoundedBits(std::bit_cast<std::uint32_t>(from[i])))
                     : from[i];
  }
}

// Row by row, so that memory is read in long runs.
template <bool kRounded>
void PackColumns(Index k, const float* b, Index ldb, Index begin, Index end,
                 float* packed) {
  const Index whole = (end - begin) / kBlockColumns;
  const Index left = (end - begin) % kBlockColumns;
  float* strips = packed + begin * k;
  float last[kBlockColumns] = {};
  for (Index i = 0; i < k; ++i) {
    const float* row = b + i * ldb + begin;
    float* to = strips + i * kBlockColumns;
    for (Index strip = 0; strip < whole; ++strip, to += k * kBlockColumns)
      PackRow<kRounded>(row + strip * kBlockColumns, to);
    if (left == 0) continue;
    std::copy_n(row + whole * kBlockColumns, left, last);
    PackRow<kRounded>(last, to);
  }
}

// One strip of a B that lies transposed: squares of vectors are turned.
void PackStripBt(Index k, const float* b, Index ldb, Index columns, float* to) {
  using Eigen::internal::PacketBlock;
  using Eigen::internal::ploadu;
  Index i = 0;
  for (; columns == kBlockColumns && i + kVectorFloats <= k;
       i += kVectorFloats) {
    for (Index first = 0; first < kBlockColumns; first += kVectorFloats) {
      PacketBlock<Vector, kVectorFloats> square;
      for (Index line = 0; line < kVectorFloats; ++line)
        square.packet[line] = ploadu<Vector>(b + (first + line) * ldb + i);
      Eigen::internal::ptranspose(square);
      for (Index line = 0; line < kVectorFloats; ++line)
        Eigen::internal::pstore(to + (i + line) * kBlockColumns + first,
                                square.packet[line]);
    }
  }
  for (; i < k; ++i) {
    for (Index column = 0; column < kBlockColumns; ++column)
      to[i * kBlockColumns + column] =
          column < columns ? b[column * ldb + i] : 0.0F;
  }
}

}  // namespace

std::int64_t PackedElements(std::int64_t n, std::int64_t k) {
  return StripCount(n) * kBlockColumns * k;
}

void Pack(std::int64_t /*n*/, std::int64_t k, const float* b, std::int64_t ldb,
          std::int64_t begin, std::int64_t end, float* packed) {
  PackColumns<false>(k, b, ldb, begin, end, packed);
}

void PackBt(std::int64_t /*n*/, std::int64_t k, const float* b,
            std::int64_t ldb, std::int64_t begin, std::int64_t end,
            float* packed) {
  for (Index column = begin; column < end; column += kBlockColumns)
    PackStripBt(k, b + column * ldb, ldb, std::min(kBlockColumns, end - column),
                packed + column * k);
}

void PackRounded(std::int64_t /*n*/, std::int64_t k, const float* b,
                 std::int64_t ldb, std::int64_t begin, std::int64_t end,
                 float* packed) {
  PackColumns<true>(k, b, ldb, begin, end, packed);
}

void PackBtRounded(std::int64_t n, std::int64_t k, const float* b,
                   std::int64_t ldb, std::int64_t begin, std::int64_t end,
                   float* packed) {
  PackBt(n, k, b, ldb, begin, end, packed);
  float* strips = packed + begin * k;
  RoundBfloat16(StripCount(end - begin) * kBlockColumns * k, strips, strips);
}

}  // namespace podsim::module
