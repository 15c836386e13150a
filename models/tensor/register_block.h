// The inner kernel of float32 products: a block of C whose sums stay in vector
// registers, on Eigen's vectors of the module's level. Included by products.cc
// alone.
//
// Every element of C is one chain of multiply-adds over K in order (fused where
// the level has FMA), which begins at zero or at what C holds. So no cut of
// rows, columns or K changes bits.
#ifndef PODSIM_MODELS_TENSOR_REGISTER_BLOCK_H_
#define PODSIM_MODELS_TENSOR_REGISTER_BLOCK_H_

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace podsim::module {

using Vector = Eigen::internal::packet_traits<float>::type;
inline constexpr std::int64_t kVectorFloats =
    Eigen::internal::unpacket_traits<Vector>::size;

// Two vectors of B per row of A: 12 sums in 16 registers at v2 and v3, 24 in 32
// at v4; the others hold B and one value of A. Enough chains to keep two units
// with a latency of four cycles busy.
inline constexpr std::int64_t kBlockVectors = 2;
inline constexpr std::int64_t kBlockColumns = kBlockVectors * kVectorFloats;
inline constexpr std::int64_t kBlockRows = sizeof(Vector) == 64 ? 12 : 6;

// How the rows of A of a block lie: as in the matrix, `stride` apart, or packed
// [k][row].
enum class Rows { kApart, kPacked };

// C (+)= A * B for one block: kRows rows, kBlockColumns columns. b[K][columns],
// aligned to a vector.
template <std::int64_t kRows, Rows kLayout, bool kAdd>
void MultiplyBlock(std::int64_t k, const float* a, std::int64_t stride,
                   const float* b, float* c, std::int64_t ldc) {
  using namespace Eigen::internal;
  Vector sums[kRows][kBlockVectors];
#pragma GCC unroll 16
  for (std::int64_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 2
    for (std::int64_t v = 0; v < kBlockVectors; ++v) {
      sums[row][v] = kAdd ? ploadu<Vector>(c + row * ldc + v * kVectorFloats)
                          : pzero(Vector());
    }
  }
  for (std::int64_t i = 0; i < k; ++i, b += kBlockColumns) {
    const Vector low = pload<Vector>(b);
    const Vector high = pload<Vector>(b + kVectorFloats);
#pragma GCC unroll 16
    for (std::int64_t row = 0; row < kRows; ++row) {
      const Vector left = pset1<Vector>(
          kLayout == Rows::kApart ? a[row * stride + i] : a[i * kRows + row]);
      sums[row][0] = pmadd(left, low, sums[row][0]);
      sums[row][1] = pmadd(left, high, sums[row][1]);
    }
  }
#pragma GCC unroll 16
  for (std::int64_t row = 0; row < kRows; ++row) {
    pstoreu(c + row * ldc, sums[row][0]);
    pstoreu(c + row * ldc + kVectorFloats, sums[row][1]);
  }
}

using BlockKernel = decltype(&MultiplyBlock<1, Rows::kApart, false>);

template <Rows kLayout, bool kAdd, std::size_t... kLess>
constexpr std::array<BlockKernel, kBlockRows> MakeBlockKernels(
    std::index_sequence<kLess...> /*rows less one*/) {
  return {MultiplyBlock<kLess + 1, kLayout, kAdd>...};
}

// [rows - 1]: the kernel for that many rows.
template <Rows kLayout, bool kAdd>
inline constexpr auto kBlockKernels =
    MakeBlockKernels<kLayout, kAdd>(std::make_index_sequence<kBlockRows>());

// Rows of the next block when `left` are left over: whole blocks, and two of
// much the same height at the end rather than a whole and a low one, whose few
// chains would wait for each other.
constexpr std::int64_t RowsOfNextBlock(std::int64_t left) {
  if (left >= 2 * kBlockRows || left == kBlockRows) return kBlockRows;
  return left > kBlockRows ? (left + 1) / 2 : left;
}

}  // namespace podsim::module

#endif  // PODSIM_MODELS_TENSOR_REGISTER_BLOCK_H_
