// bfloat16 products by pairs: two neighbours along K share 32 bits, and one
// instruction of the unit adds both their products to a sum of float32
// (VDPBF16PS, twice as fast as multiply-adds where it pays). Works on any unit
// that can do
//
//   static Vector Add(const Vector& left, const Vector& right,
//                     const Vector& sum);
//
// Every element of C is one chain over the pairs of K in order. A's pairs are
// made for some rows and K at a time, on the stack; B's by its packing, in the
// strips of packing.cc with [pair] for [k].
#ifndef PODSIM_MODELS_KERNELS_PAIR_PRODUCT_H_
#define PODSIM_MODELS_KERNELS_PAIR_PRODUCT_H_

#include <algorithm>
#include <cstdint>

#include "models/kernels/kernel_table.h"
#include "models/kernels/pair_pack.h"
#include "models/kernels/strips.h"

namespace podsim::module {

// Pairs of A at a time: 264 KiB for all rows. Their rows lie a line further
// apart, or they would share a few sets of the first cache.
inline constexpr Index kPairDepth = 512;
inline constexpr Index kPairStride = kPairDepth + kLineFloats;

// C[M,N] (+)= A * B; a(row, k) is A's or, side by side, its transpose's.
template <typename Sums, Rows kLayout>
void AddPairProduct(bool add, Index m, Index n, Index k, const float* a,
                    Index lda, const float* packed, float* c, Index ldc) {
  if (k == 0 && !add) Clear(m, n, c, ldc);
  constexpr bool kApart = kLayout == Rows::kApart;
  constexpr Index kStride = kApart ? kPairStride : kRowsAtATime;
  alignas(kPackedAlignment) float pairs[kRowsAtATime * kPairStride];
  for (Index row = 0; row < m; row += kRowsAtATime) {
    const Index rows = std::min(kRowsAtATime, m - row);
    for (Index i = 0; i < k; i += 2 * kPairDepth) {
      const Index depth = std::min(2 * kPairDepth, k - i);
      const float* from = At<kLayout>(a, lda, row, i);
      if (kApart) {
        PairsAlongK(rows, depth, from, lda, pairs, kStride);
      } else {
        PairsAcrossK(rows, depth, from, lda, pairs, kStride);
      }
      AddStrips<Sums, kLayout>(add || i > 0, rows, n, PairCount(depth), pairs,
                               kStride, packed + i / 2 * kBlockColumns,
                               PairCount(k) * kBlockColumns, c + row * ldc,
                               ldc);
    }
  }
}

// The entries of PodsimProducts.
template <typename Sums>
struct PairKernels {
  static void Multiply(std::int64_t m, std::int64_t n, std::int64_t k,
                       const float* a, std::int64_t lda, const float* packed,
                       float* c, std::int64_t ldc) {
    AddPairProduct<Sums, Rows::kApart>(/*add=*/false, m, n, k, a, lda, packed,
                                       c, ldc);
  }
  static void MultiplyAt(std::int64_t m, std::int64_t n, std::int64_t k,
                         const float* a, std::int64_t lda, const float* packed,
                         float* c, std::int64_t ldc, std::int32_t accumulate) {
    AddPairProduct<Sums, Rows::kSideBySide>(accumulate != 0, m, n, k, a, lda,
                                            packed, c, ldc);
  }
};

template <typename Sums>
inline constexpr PodsimProducts kPairProducts = {
    .packed_elements = PackedPairs,
    .pack = PackPairs,
    .pack_bt = PackPairsBt,
    .multiply = PairKernels<Sums>::Multiply,
    .multiply_at = PairKernels<Sums>::MultiplyAt};

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_PAIR_PRODUCT_H_
