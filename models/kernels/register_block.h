// The inner kernel of products: a block of C whose sums stay in vector
// registers, on Eigen's vectors of the module's level. Included by strips.h,
// and by what packs for its measures.
//
// Every element of C is one chain of sums over K in order, which begins at zero
// or at what C holds. So no cut of rows, columns or K changes bits (of pairs:
// of K between two).
#ifndef PODSIM_MODELS_KERNELS_REGISTER_BLOCK_H_
#define PODSIM_MODELS_KERNELS_REGISTER_BLOCK_H_

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

// Strips of kBlockColumns that so many columns take.
inline std::int64_t StripCount(std::int64_t columns) {
  return (columns + kBlockColumns - 1) / kBlockColumns;
}
inline constexpr std::int64_t kBlockRows = sizeof(Vector) == 64 ? 12 : 6;

// What a chain's link is, for 32 bits of A and of B: a multiply-add of float32
// (fused where the level has FMA). pair_product.h has another.
struct Float32Sums {
  static Vector Add(const Vector& left, const Vector& right,
                    const Vector& sum) {
    return Eigen::internal::pmadd(left, right, sum);
  }
};

// How the rows of A lie in memory: one after the other, `stride` apart, or, of
// an A that lies transposed, side by side, K `stride` apart.
enum class Rows { kApart, kSideBySide };

// Bytes of B's next strip to ask for per row of A and element of K: 128 rows at
// a time are usual, and a strip has 128 bytes per element of K at v4.
inline constexpr std::int64_t kBytesAhead = 1;

inline constexpr std::int64_t kLineFloats = 16;  // of a cache line

// C (+)= A * B for one block: kRows rows, kVectors vectors of columns.
// b[K][kBlockColumns], aligned to a vector, of which the first ones are used.
// What lies from `ahead` on will be needed later; it need not exist.
template <typename Sums, std::int64_t kRows, std::int64_t kVectors,
          Rows kLayout, bool kAdd>
void MultiplyBlock(std::int64_t k, const float* a, std::int64_t stride,
                   const float* b, float* c, std::int64_t ldc,
                   const char* ahead) {
  using Eigen::internal::pload;
  using Eigen::internal::ploadu;
  using Eigen::internal::pset1;
  using Eigen::internal::pstoreu;
  using Eigen::internal::pzero;
  Vector sums[kRows][kVectors];
#pragma GCC unroll 16
  for (std::int64_t row = 0; row < kRows; ++row) {
    // Lines that are written at the end are asked for now; the second cache is
    // near enough, and the first one's few ways to memory stay free for B.
    if (!kAdd) {
      __builtin_prefetch(c + row * ldc, 0, 2);
      __builtin_prefetch(c + row * ldc + kVectors * kVectorFloats - 1, 0, 2);
    }
#pragma GCC unroll 2
    for (std::int64_t v = 0; v < kVectors; ++v) {
      sums[row][v] = kAdd ? ploadu<Vector>(c + row * ldc + v * kVectorFloats)
                          : pzero(Vector());
    }
  }
  // Four at a time, or more pointers to rows than registers would have to be
  // fetched every time.
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < k; ++i, b += kBlockColumns) {
    __builtin_prefetch(ahead, 0, 2);
    ahead += kRows * kBytesAhead;
    // The next rows', which no hardware sees coming: each K has a page.
    if (kLayout == Rows::kSideBySide)
      __builtin_prefetch(a + i * stride + kRows + kLineFloats - 1, 0, 2);
    Vector right[kVectors];
#pragma GCC unroll 2
    for (std::int64_t v = 0; v < kVectors; ++v)
      right[v] = pload<Vector>(b + v * kVectorFloats);
#pragma GCC unroll 16
    for (std::int64_t row = 0; row < kRows; ++row) {
      const Vector left = pset1<Vector>(
          kLayout == Rows::kApart ? a[row * stride + i] : a[i * stride + row]);
#pragma GCC unroll 2
      for (std::int64_t v = 0; v < kVectors; ++v)
        sums[row][v] = Sums::Add(left, right[v], sums[row][v]);
    }
  }
#pragma GCC unroll 16
  for (std::int64_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 2
    for (std::int64_t v = 0; v < kVectors; ++v)
      pstoreu(c + row * ldc + v * kVectorFloats, sums[row][v]);
  }
}

using BlockKernel =
    decltype(&MultiplyBlock<Float32Sums, 1, 1, Rows::kApart, false>);

template <typename Sums, std::int64_t kVectors, Rows kLayout, bool kAdd,
          std::size_t... kLess>
constexpr std::array<BlockKernel, kBlockRows> MakeBlockKernels(
    std::index_sequence<kLess...> /*rows less one*/) {
  return {MultiplyBlock<Sums, kLess + 1, kVectors, kLayout, kAdd>...};
}

// [rows - 1]: the kernel for that many rows.
template <typename Sums, std::int64_t kVectors, Rows kLayout, bool kAdd>
inline constexpr auto kBlockKernels =
    MakeBlockKernels<Sums, kVectors, kLayout, kAdd>(
        std::make_index_sequence<kBlockRows>());

// Rows of the next block when `left` are left over: whole blocks, and two of
// much the same height at the end rather than a whole and a low one, whose few
// chains would wait for each other.
constexpr std::int64_t RowsOfNextBlock(std::int64_t left) {
  if (left >= 2 * kBlockRows || left == kBlockRows) return kBlockRows;
  return left > kBlockRows ? (left + 1) / 2 : left;
}

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_REGISTER_BLOCK_H_
