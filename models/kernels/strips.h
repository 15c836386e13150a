// The loops around the block of C that fits the registers (register_block.h):
// over strips of B, and over the rows of A innermost, so that a strip stays in
// the first two caches meanwhile. Included by a module's products.
#ifndef PODSIM_MODELS_KERNELS_STRIPS_H_
#define PODSIM_MODELS_KERNELS_STRIPS_H_

#include <algorithm>
#include <cstdint>

#include "models/kernels/register_block.h"

namespace podsim::module {

using Index = std::int64_t;

// Rows of A that are used up before the next ones are.
inline constexpr Index kRowsAtATime = 132;
static_assert(kRowsAtATime % kBlockRows == 0);

// Where row `row` of A begins at K = i.
template <Rows kLayout>
const float* At(const float* a, Index lda, Index row, Index i) {
  return kLayout == Rows::kApart ? a + row * lda + i : a + i * lda + row;
}

// The kernel for a block: one vector of columns where no more are wanted.
template <typename Sums, Rows kLayout, bool kAdd>
BlockKernel KernelFor(Index rows, Index columns) {
  return (columns <= kVectorFloats
              ? kBlockKernels<Sums, 1, kLayout, kAdd>
              : kBlockKernels<Sums, kBlockVectors, kLayout, kAdd>)[rows - 1];
}

// One block of C at a time; the last strip's goes by way of a block of its own
// where C has fewer columns.
template <typename Sums, Rows kLayout>
void AddBlock(bool add, Index rows, Index columns, Index k, const float* a,
              Index stride, const float* b, float* c, Index ldc,
              const char* ahead) {
  const BlockKernel kernel =
      add ? KernelFor<Sums, kLayout, true>(rows, columns)
          : KernelFor<Sums, kLayout, false>(rows, columns);
  if (columns == kBlockColumns) return kernel(k, a, stride, b, c, ldc, ahead);
  float block[kBlockRows * kBlockColumns] = {};
  for (Index row = 0; add && row < rows; ++row)
    std::copy_n(c + row * ldc, columns, block + row * kBlockColumns);
  kernel(k, a, stride, b, block, kBlockColumns, ahead);
  for (Index row = 0; row < rows; ++row)
    std::copy_n(block + row * kBlockColumns, columns, c + row * ldc);
}

// C (+)= A * B for some rows and one block of K; `strips` is where the first
// strip of B has it, `strip_size` floats apart.
template <typename Sums, Rows kLayout>
void AddStrips(bool add, Index m, Index n, Index k, const float* a, Index lda,
               const float* strips, Index strip_size, float* c, Index ldc) {
  for (Index column = 0; column < n; column += kBlockColumns) {
    const float* b = strips + column / kBlockColumns * strip_size;
    const auto* next = reinterpret_cast<const char*>(b + strip_size);
    for (Index row = 0, rows; row < m; row += rows) {
      rows = RowsOfNextBlock(m - row);
      AddBlock<Sums, kLayout>(add, rows, std::min(kBlockColumns, n - column), k,
                              At<kLayout>(a, lda, row, 0), lda, b,
                              c + row * ldc + column, ldc,
                              next + row * k * kBytesAhead);
    }
  }
}

inline void Clear(Index m, Index n, float* c, Index ldc) {
  for (Index row = 0; row < m; ++row) std::fill_n(c + row * ldc, n, 0.0F);
}

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_STRIPS_H_
