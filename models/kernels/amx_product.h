// Products of bfloat16 numbers on a tile unit, whichever it is: the CPU's
// (amx_unit.h) or one that tests emulate.
//
// C is computed in blocks of 2 x 2 tiles, so that each tile of A and B is
// loaded for two multiplications. An element's sum depends on K alone: within
// a block of kDepthBlock the unit adds kTileDepth of K after kTileDepth, from
// zero, wherever in a tile the element lies; blocks are added to C in order, in
// float32. So neither other rows nor a cut of the columns changes bits.
//
// A unit is an object that holds the tiles while it lives:
//   Clear<kDown, kAcross>()           sums of kDown x kAcross tiles become zero
//   Step<kDown, kAcross>(a, b)        adds the products of the first tiles of
//                                     kDown strips of A, kAcross of B
//   Store<kDown, kAcross>(to, stride) writes the sums, stride in floats
#ifndef PODSIM_MODELS_KERNELS_AMX_PRODUCT_H_
#define PODSIM_MODELS_KERNELS_AMX_PRODUCT_H_

#include <algorithm>
#include <cstdint>

#include "models/kernels/amx_pack.h"
#include "models/kernels/kernel_table.h"

namespace podsim::module {

// K whose tiles of two strips of A (32 KiB) stay in the first-level cache.
inline constexpr std::int64_t kDepthBlock = 512;
inline constexpr std::int64_t kTileBlockRows = 2 * kTileRows;

static_assert(kDepthBlock % kTileDepth == 0);

// to = the sums of one block: kDown x kAcross tiles over `steps` tiles of K.
template <typename Unit, int kDown, int kAcross>
void MultiplyTiles(Unit& unit, Strips a, Strips b, std::int64_t steps,
                   float* to, std::int64_t stride) {
  unit.template Clear<kDown, kAcross>();
  for (std::int64_t step = 0; step < steps; ++step) {
    unit.template Step<kDown, kAcross>(a.From(0, step), b.From(0, step));
  }
  unit.template Store<kDown, kAcross>(to, stride);
}

// As many tiles as rows and columns of C need.
template <typename Unit>
void MultiplyBlock(Unit& unit, std::int64_t rows, std::int64_t columns,
                   Strips a, Strips b, std::int64_t steps, float* to,
                   std::int64_t stride) {
  constexpr decltype(&MultiplyTiles<Unit, 1, 1>) kByTiles[2][2] = {
      {MultiplyTiles<Unit, 1, 1>, MultiplyTiles<Unit, 1, 2>},
      {MultiplyTiles<Unit, 2, 1>, MultiplyTiles<Unit, 2, 2>}};
  kByTiles[rows > kTileRows ? 1 : 0][columns > kTileRows ? 1 : 0](
      unit, a, b, steps, to, stride);
}

// One block of C, at most kTileBlockRows each way, (+)= its sums. Whole blocks
// go straight to C where nothing is to be added to.
template <typename Unit>
void AddBlock(Unit& unit, std::int64_t rows, std::int64_t columns, Strips a,
              Strips b, std::int64_t steps, float* c, std::int64_t ldc,
              bool add) {
  if (rows == kTileBlockRows && columns == kTileBlockRows && !add) {
    MultiplyBlock(unit, rows, columns, a, b, steps, c, ldc);
    return;
  }
  alignas(64) float sums[kTileBlockRows * kTileBlockRows];
  MultiplyBlock(unit, rows, columns, a, b, steps, sums, kTileBlockRows);
  for (std::int64_t row = 0; row < rows; ++row, c += ldc) {
    const float* from = sums + row * kTileBlockRows;
    for (std::int64_t i = 0; i < columns; ++i) {
      c[i] = add ? c[i] + from[i] : from[i];
    }
  }
}

// C[M,N] (+)= A * B, the latter as PackColumns left it. Nothing is allocated.
template <typename Unit>
void TileProduct(std::int64_t m, std::int64_t n, std::int64_t k,
                 const Operand& a, const Tile* packed_b, float* c,
                 std::int64_t ldc, bool accumulate) {
  if (k == 0 && !accumulate) {
    for (std::int64_t row = 0; row < m; ++row)
      std::fill_n(c + row * ldc, n, 0.0f);
  }
  if (m == 0 || n == 0 || k == 0) return;
  Unit unit;
  Tile packed_a[2 * kDepthBlock / kTileDepth];
  const Strips b = {packed_b, TileCount(k, kTileDepth)};
  for (std::int64_t i = 0; i < k; i += kDepthBlock) {
    const std::int64_t depth = std::min(kDepthBlock, k - i);
    const std::int64_t steps = TileCount(depth, kTileDepth);
    for (std::int64_t row = 0; row < m; row += kTileBlockRows) {
      const std::int64_t rows = std::min(kTileBlockRows, m - row);
      PackStrips(Side::kA, a, row, rows, i, depth, packed_a);
      for (std::int64_t column = 0; column < n; column += kTileBlockRows) {
        AddBlock(unit, rows, std::min(kTileBlockRows, n - column),
                 {packed_a, steps}, b.From(column / kTileRows, i / kTileDepth),
                 steps, c + row * ldc + column, ldc, accumulate || i > 0);
      }
    }
  }
}

// The entries of PodsimProducts.
template <typename Unit>
struct TileKernels {
  static std::int64_t PackedElements(std::int64_t n, std::int64_t k) {
    return PackedTiles(n, k) *
           static_cast<std::int64_t>(sizeof(Tile) / sizeof(float));
  }
  static void Pack(std::int64_t /*n*/, std::int64_t k, const float* b,
                   std::int64_t ldb, std::int64_t begin, std::int64_t end,
                   float* packed) {
    PackColumns(k, {b, ldb, false}, begin, end,
                static_cast<Tile*>(static_cast<void*>(packed)));
  }
  static void PackBt(std::int64_t /*n*/, std::int64_t k, const float* b,
                     std::int64_t ldb, std::int64_t begin, std::int64_t end,
                     float* packed) {
    PackColumns(k, {b, ldb, true}, begin, end,
                static_cast<Tile*>(static_cast<void*>(packed)));
  }
  static void Multiply(std::int64_t m, std::int64_t n, std::int64_t k,
                       const float* a, std::int64_t lda, const float* packed,
                       float* c, std::int64_t ldc) {
    TileProduct<Unit>(m, n, k, {a, lda, true}, Tiles(packed), c, ldc, false);
  }
  static void MultiplyAt(std::int64_t m, std::int64_t n, std::int64_t k,
                         const float* a, std::int64_t lda, const float* packed,
                         float* c, std::int64_t ldc, std::int32_t accumulate) {
    TileProduct<Unit>(m, n, k, {a, lda, false}, Tiles(packed), c, ldc,
                      accumulate != 0);
  }

 private:
  static const Tile* Tiles(const float* packed) {
    return static_cast<const Tile*>(static_cast<const void*>(packed));
  }
};

template <typename Unit>
inline constexpr PodsimProducts kTileProducts = {
    .packed_elements = TileKernels<Unit>::PackedElements,
    .pack = TileKernels<Unit>::Pack,
    .pack_bt = TileKernels<Unit>::PackBt,
    .multiply = TileKernels<Unit>::Multiply,
    .multiply_at = TileKernels<Unit>::MultiplyAt};

// A product of small whole numbers, whose sums are exact in any order, with
// left-over rows, columns and K: 1 if the unit got every element right. Only
// the stack is written, so a forked child may run it.
template <typename Unit>
std::int32_t TileTrial() {
  constexpr std::int64_t kM = 19, kN = 35, kK = 70;
  float a[kM * kK], b[kK * kN], c[kM * kN];
  for (std::int64_t i = 0; i < kM * kK; ++i)
    a[i] = static_cast<float>(i % 13 - 6);
  for (std::int64_t i = 0; i < kK * kN; ++i)
    b[i] = static_cast<float>(i % 11 - 5);
  Tile packed_b[PackedTiles(kN, kK)];
  PackColumns(kK, {b, kN, false}, 0, kN, packed_b);
  TileProduct<Unit>(kM, kN, kK, {a, kK, true}, packed_b, c, kN, false);
  for (std::int64_t row = 0; row < kM; ++row) {
    for (std::int64_t column = 0; column < kN; ++column) {
      float sum = 0;
      for (std::int64_t i = 0; i < kK; ++i)
        sum += a[row * kK + i] * b[i * kN + column];
      if (c[row * kN + column] != sum) return 0;
    }
  }
  return 1;
}

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_AMX_PRODUCT_H_
