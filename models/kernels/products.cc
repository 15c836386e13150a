// C = A * B, A as it lies, B in strips (packing.cc), by rows and K in parts
// that fit the second cache.
#include "models/kernels/products.h"

#include <algorithm>

#include "models/kernels/kernel_table.h"
#include "models/kernels/strips.h"

namespace podsim::module {
namespace {

// K of a strip that is used for all of them before the next strip is. Where
// rows lie side by side each K has cache lines of its own; at v3, whose blocks
// have fewer rows, these serve several blocks from the first cache.
template <Rows kLayout>
constexpr Index kDepth = kLayout == Rows::kApart ? 1024
                         : kBlockRows == 12      ? 512
                                                 : 192;

static_assert(kColumnCut % kBlockColumns == 0);

template <Rows kLayout>
void AddProduct(bool add, Index m, Index n, Index k, const float* a, Index lda,
                const float* packed, float* c, Index ldc) {
  if (k == 0 && !add) Clear(m, n, c, ldc);
  for (Index row = 0; row < m; row += kRowsAtATime) {
    const Index rows = std::min(kRowsAtATime, m - row);
    for (Index i = 0; i < k; i += kDepth<kLayout>) {
      AddStrips<Float32Sums, kLayout>(
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
