// C = A * B in blocks that fit the registers (register_block.h), B in strips
// (packing.cc). The loops go over K in blocks, over the strips, and over the
// rows of A innermost: a strip stays in the first two caches meanwhile.
#include "models/tensor/products.h"

#include <algorithm>

#include "models/tensor/kernel_table.h"
#include "models/tensor/register_block.h"

namespace podsim::module {
namespace {

using Index = std::int64_t;

// K of a strip (64 KiB at v3) that is used for all rows before the next one is.
constexpr Index kDepth = 1024;
// What of A^T is packed at a time: 144 KiB, on the stack.
constexpr Index kDepthAt = 512;
constexpr Index kRowsAt = 72;
// Floats of a cache line.
constexpr Index kLineFloats = 16;
// Rows by which memory is asked for ahead: each lies in a page of its own.
constexpr Index kRowsAhead = 8;

static_assert(kColumnCut % kBlockColumns == 0 && kRowsAt % kBlockRows == 0);

// The kernel for a block: one vector of columns where no more are wanted.
template <Rows kLayout, bool kAdd>
BlockKernel KernelFor(Index rows, Index columns) {
  return (columns <= kVectorFloats
              ? kBlockKernels<1, kLayout, kAdd>
              : kBlockKernels<kBlockVectors, kLayout, kAdd>)[rows - 1];
}

// One block of C at a time; the last strip's goes by way of a block of its own
// where C has fewer columns.
template <Rows kLayout>
void AddBlock(bool add, Index rows, Index columns, Index k, const float* a,
              Index stride, const float* b, float* c, Index ldc,
              const char* ahead) {
  const BlockKernel kernel = add ? KernelFor<kLayout, true>(rows, columns)
                                 : KernelFor<kLayout, false>(rows, columns);
  if (columns == kBlockColumns) return kernel(k, a, stride, b, c, ldc, ahead);
  float block[kBlockRows * kBlockColumns] = {};
  for (Index row = 0; add && row < rows; ++row)
    std::copy_n(c + row * ldc, columns, block + row * kBlockColumns);
  kernel(k, a, stride, b, block, kBlockColumns, ahead);
  for (Index row = 0; row < rows; ++row)
    std::copy_n(block + row * kBlockColumns, columns, c + row * ldc);
}

// C (+)= A * B for one block of K: a(row) is where the block of rows begins
// there, `strips` the first strip's, `strip_size` floats apart.
template <Rows kLayout, typename RowsOfA>
void AddStrips(bool add, Index m, Index n, Index k, const RowsOfA& a,
               Index stride, const float* strips, Index strip_size, float* c,
               Index ldc) {
  for (Index column = 0; column < n; column += kBlockColumns) {
    const float* b = strips + column / kBlockColumns * strip_size;
    const auto* next = reinterpret_cast<const char*>(b + strip_size);
    for (Index row = 0, rows; row < m; row += rows) {
      rows = RowsOfNextBlock(m - row);
      AddBlock<kLayout>(add, rows, std::min(kBlockColumns, n - column), k,
                        a(row), stride, b, c + row * ldc + column, ldc,
                        next + row * k * kBytesAhead<kLayout>);
    }
  }
}

// Rows of A^T as blocks of [k][row]. Whole blocks all at once, so that memory
// is read in long runs; and a copy of a constant length is a few moves.
void PackRowsAt(Index m, Index k, const float* a, Index lda, float* packed) {
  Index whole = 0;
  while (RowsOfNextBlock(m - whole) == kBlockRows) whole += kBlockRows;
  for (Index i = 0; i < k; ++i) {
    for (Index row = 0; row < m; row += kLineFloats)
      __builtin_prefetch(a + (i + kRowsAhead) * lda + row);
    for (Index row = 0; row < whole; row += kBlockRows)
      std::copy_n(a + i * lda + row, kBlockRows,
                  packed + row * k + i * kBlockRows);
  }
  for (Index row = whole, rows; row < m; row += rows) {
    rows = RowsOfNextBlock(m - row);
    float* to = packed + row * k;
    for (Index i = 0; i < k; ++i, to += rows)
      std::copy_n(a + i * lda + row, rows, to);
  }
}

void Clear(Index m, Index n, float* c, Index ldc) {
  for (Index row = 0; row < m; ++row) std::fill_n(c + row * ldc, n, 0.0F);
}

}  // namespace

void Multiply(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
              std::int64_t lda, const float* packed, float* c,
              std::int64_t ldc) {
  if (k == 0) Clear(m, n, c, ldc);
  if (m == 0) return;
  for (Index i = 0; i < k; i += kDepth)
    AddStrips<Rows::kApart>(
        /*add=*/i > 0, m, n, std::min(kDepth, k - i),
        [&](Index row) { return a + row * lda + i; }, lda,
        packed + i * kBlockColumns, k * kBlockColumns, c, ldc);
}

void MultiplyAt(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                std::int64_t lda, const float* packed, float* c,
                std::int64_t ldc, std::int32_t accumulate) {
  if (k == 0 && accumulate == 0) Clear(m, n, c, ldc);
  float block[kRowsAt * kDepthAt];
  for (Index row = 0; row < m; row += kRowsAt) {
    const Index rows = std::min(kRowsAt, m - row);
    for (Index i = 0; i < k; i += kDepthAt) {
      const Index depth = std::min(kDepthAt, k - i);
      PackRowsAt(rows, depth, a + i * lda + row, lda, block);
      AddStrips<Rows::kPacked>(
          accumulate != 0 || i > 0, rows, n, depth,
          [&](Index first) { return block + first * depth; }, /*stride=*/0,
          packed + i * kBlockColumns, k * kBlockColumns, c + row * ldc, ldc);
    }
  }
}

}  // namespace podsim::module
