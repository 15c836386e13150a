// C = A * B in blocks that fit the registers (register_block.h), B in strips
// (packing.cc), A as it lies. The loops go over the rows and K in parts that
// fit the second cache, over the strips, and over the rows again innermost: a
// strip stays in the first two caches meanwhile.
#include "models/tensor/products.h"

#include <algorithm>

#include "models/tensor/kernel_table.h"
#include "models/tensor/register_block.h"

namespace podsim::module {
namespace {

using Index = std::int64_t;

// Rows of A that are used up before the next ones are.
constexpr Index kRowsAtATime = 132;
// K of a strip that is used for all of them before the next strip is. Where
// rows lie side by side each K has cache lines of its own; at v3, whose blocks
// have fewer rows, these serve several blocks from the first cache.
template <Rows kLayout>
constexpr Index kDepth = kLayout == Rows::kApart ? 1024
                         : kBlockRows == 12      ? 512
                                                 : 192;

static_assert(kColumnCut % kBlockColumns == 0 &&
              kRowsAtATime % kBlockRows == 0);

// Where row `row` of A begins at K = i.
template <Rows kLayout>
const float* At(const float* a, Index lda, Index row, Index i) {
  return kLayout == Rows::kApart ? a + row * lda + i : a + i * lda + row;
}

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

// C (+)= A * B for some rows and one block of K; `strips` is where the first
// strip of B has it, `strip_size` floats apart.
template <Rows kLayout>
void AddStrips(bool add, Index m, Index n, Index k, const float* a, Index lda,
               const float* strips, Index strip_size, float* c, Index ldc) {
  for (Index column = 0; column < n; column += kBlockColumns) {
    const float* b = strips + column / kBlockColumns * strip_size;
    const auto* next = reinterpret_cast<const char*>(b + strip_size);
    for (Index row = 0, rows; row < m; row += rows) {
      rows = RowsOfNextBlock(m - row);
      AddBlock<kLayout>(add, rows, std::min(kBlockColumns, n - column), k,
                        At<kLayout>(a, lda, row, 0), lda, b,
                        c + row * ldc + column, ldc,
                        next + row * k * kBytesAhead);
    }
  }
}

void Clear(Index m, Index n, float* c, Index ldc) {
  for (Index row = 0; row < m; ++row) std::fill_n(c + row * ldc, n, 0.0F);
}

template <Rows kLayout>
void AddProduct(bool add, Index m, Index n, Index k, const float* a, Index lda,
                const float* packed, float* c, Index ldc) {
  if (k == 0 && !add) Clear(m, n, c, ldc);
  for (Index row = 0; row < m; row += kRowsAtATime) {
    const Index rows = std::min(kRowsAtATime, m - row);
    for (Index i = 0; i < k; i += kDepth<kLayout>) {
      AddStrips<kLayout>(
          add || i > 0, rows, n, std::min(kDepth<kLayout>, k - i),
          At<kLayout>(a, lda, row, i), lda, packed + i * kBlockColumns,
          k * kBlockColumns, c + row * ldc, ldc);
    }
  }
}

}  // namespace

void Multiply(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
              std::int64_t lda, const float* packed, float* c,
              std::int64_t ldc) {
  AddProduct<Rows::kApart>(/*add=*/false, m, n, k, a, lda, packed, c, ldc);
}

void MultiplyAt(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                std::int64_t lda, const float* packed, float* c,
                std::int64_t ldc, std::int32_t accumulate) {
  AddProduct<Rows::kSideBySide>(accumulate != 0, m, n, k, a, lda, packed, c,
                                ldc);
}

}  // namespace podsim::module
