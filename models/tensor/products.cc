// C = A * B from Eigen's parts: its packing, its inner kernel, its cut of K.
// The loops around them are ours, so that B is packed once for all rows of A,
// and so that one algorithm serves all sizes: the expression C = A * B would
// pick another (dot products, matrix-vector) when a dimension happens to be
// small, and so change the bits of a row with the number of other rows.
//
// Eigen works on columns first, so it is asked for C^T = B^T * A^T: what it
// calls the left side is B, and its rows are our columns.
#include "models/tensor/products.h"

#include <Eigen/Core>
#include <algorithm>
#include <memory>
#include <new>

#include "models/tensor/elementwise.h"
#include "models/tensor/kernel_table.h"

namespace podsim::module {
namespace {

using Eigen::Index;
using Traits = Eigen::internal::gebp_traits<float, float>;
template <int kOrder>
using Mapper = Eigen::internal::const_blas_data_mapper<float, Index, kOrder>;
using ResultMapper =
    Eigen::internal::blas_data_mapper<float, Index, Eigen::ColMajor,
                                      Eigen::Unaligned, 1>;

// How B^T and A^T lie in memory.
constexpr int kColumns = Eigen::ColMajor;
constexpr int kRows = Eigen::RowMajor;

// Rows that Eigen's inner kernel takes at once; left-over rows would go through
// another kernel with another order of sums.
constexpr Index kRowBlock = Traits::nr;
// Rows of A that are packed at a time.
constexpr Index kRowsAtOnce = 256;
// Keeps every block of packed columns aligned.
constexpr Index kPackedFloats = kPackedAlignment / sizeof(float);

static_assert(kRowsAtOnce % kRowBlock == 0);
static_assert(kColumnCut % Traits::mr == 0);

// The K-block that Eigen's own product would take: a function of K alone, as
// other sizes have a say only where they are below 48.
Index DepthOf(Index k) {
  Index depth = k;
  Index rows = 1024;
  Index columns = 1024;
  Eigen::internal::computeProductBlockingSizes<float, float, 1>(
      depth, rows, columns, Index{1});
  return depth;
}

Index PackedColumns(Index n) {
  return (n + kPackedFloats - 1) / kPackedFloats * kPackedFloats;
}

// fn(first, depth) for each K-block, in order.
template <typename Fn>
void ForDepths(Index k, const Fn& fn) {
  if (k == 0) return;
  const Index depth = DepthOf(k);
  for (Index first = 0; first < k; first += depth)
    fn(first, std::min(depth, k - first));
}

// Columns [begin, end) of every K-block. [k-block][column][k of the block] but
// for the order within a few columns, which is Eigen's.
template <int kOrder>
void PackColumns(Index n, Index k, const float* b, Index ldb, Index begin,
                 Index end, float* packed) {
  Eigen::internal::gemm_pack_lhs<float, Index, Mapper<kOrder>, Traits::mr,
                                 Traits::LhsProgress, Traits::LhsPacket4Packing,
                                 kOrder>
      pack;
  const Mapper<kOrder> columns(b, ldb);
  ForDepths(k, [&](Index first, Index depth) {
    pack(packed + first * PackedColumns(n) + begin * depth,
         columns.getSubMapper(begin, first), depth, end - begin);
  });
}

void RoundColumns(Index n, Index k, Index begin, Index end, float* packed) {
  ForDepths(k, [&](Index first, Index depth) {
    float* block = packed + first * PackedColumns(n) + begin * depth;
    RoundBfloat16((end - begin) * depth, block, block);
  });
}

struct Free {
  void operator()(float* block) const {
    ::operator delete (block, std::align_val_t{kPackedAlignment});
  }
};
using Block = std::unique_ptr<float, Free>;

Block NewBlock(Index count) {
  return Block(static_cast<float*>(
      ::operator new (static_cast<std::size_t>(count) * sizeof(float),
                      std::align_val_t{kPackedAlignment})));
}

// C[M,N] += A * B for M a multiple of kRowBlock and at most kRowsAtOnce.
template <int kOrder>
void AddRows(Index m, Index n, Index k, const float* a, Index lda,
             const float* packed, float* c, Index ldc, float* block) {
  Eigen::internal::gemm_pack_rhs<float, Index, Mapper<kOrder>, Traits::nr,
                                 kOrder>
      pack;
  Eigen::internal::gebp_kernel<float, float, Index, ResultMapper, Traits::mr,
                               Traits::nr, false, false>
      kernel;
  const Mapper<kOrder> rows(a, lda);
  ForDepths(k, [&](Index first, Index depth) {
    pack(block, rows.getSubMapper(first, 0), depth, m);
    kernel(ResultMapper(c, ldc), packed + first * PackedColumns(n), block, n,
           depth, m, /*alpha=*/1.0F);
  });
}

// The last M % kRowBlock rows, padded with zero rows to a whole block.
template <int kOrder>
void AddLastRows(Index m, Index n, Index k, const float* a, Index lda,
                 const float* packed, float* c, Index ldc, float* block) {
  const Block padded_a = NewBlock(kRowBlock * k);
  const Block padded_c = NewBlock(kRowBlock * n);
  std::fill_n(padded_a.get(), kRowBlock * k, 0.0F);
  std::fill_n(padded_c.get(), kRowBlock * n, 0.0F);
  for (Index row = 0; row < m; ++row) {
    for (Index i = 0; i < k; ++i)
      padded_a.get()[row * k + i] =
          kOrder == kColumns ? a[row * lda + i] : a[i * lda + row];
    std::copy_n(c + row * ldc, n, padded_c.get() + row * n);
  }
  AddRows<kColumns>(kRowBlock, n, k, padded_a.get(), k, packed, padded_c.get(),
                    n, block);
  for (Index row = 0; row < m; ++row)
    std::copy_n(padded_c.get() + row * n, n, c + row * ldc);
}

template <int kOrder>
void AddProduct(Index m, Index n, Index k, const float* a, Index lda,
                const float* packed, float* c, Index ldc) {
  if (m == 0 || n == 0 || k == 0) return;
  const Index most = std::min(kRowsAtOnce, (m / kRowBlock + 1) * kRowBlock);
  const Block block = NewBlock(most * DepthOf(k));
  const auto row_of_a = [&](Index row) {
    return a + (kOrder == kColumns ? row * lda : row);
  };
  const Index whole = m - m % kRowBlock;
  for (Index row = 0; row < whole; row += kRowsAtOnce)
    AddRows<kOrder>(std::min(kRowsAtOnce, whole - row), n, k, row_of_a(row),
                    lda, packed, c + row * ldc, ldc, block.get());
  if (whole < m)
    AddLastRows<kOrder>(m - whole, n, k, row_of_a(whole), lda, packed,
                        c + whole * ldc, ldc, block.get());
}

void Clear(Index m, Index n, float* c, Index ldc) {
  for (Index row = 0; row < m; ++row) std::fill_n(c + row * ldc, n, 0.0F);
}

}  // namespace

std::int64_t PackedElements(std::int64_t n, std::int64_t k) {
  return PackedColumns(n) * k;
}

void Pack(std::int64_t n, std::int64_t k, const float* b, std::int64_t ldb,
          std::int64_t begin, std::int64_t end, float* packed) {
  PackColumns<kColumns>(n, k, b, ldb, begin, end, packed);
}

void PackBt(std::int64_t n, std::int64_t k, const float* b, std::int64_t ldb,
            std::int64_t begin, std::int64_t end, float* packed) {
  PackColumns<kRows>(n, k, b, ldb, begin, end, packed);
}

void PackRounded(std::int64_t n, std::int64_t k, const float* b,
                 std::int64_t ldb, std::int64_t begin, std::int64_t end,
                 float* packed) {
  Pack(n, k, b, ldb, begin, end, packed);
  RoundColumns(n, k, begin, end, packed);
}

void PackBtRounded(std::int64_t n, std::int64_t k, const float* b,
                   std::int64_t ldb, std::int64_t begin, std::int64_t end,
                   float* packed) {
  PackBt(n, k, b, ldb, begin, end, packed);
  RoundColumns(n, k, begin, end, packed);
}

void Multiply(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
              std::int64_t lda, const float* packed, float* c,
              std::int64_t ldc) {
  Clear(m, n, c, ldc);
  AddProduct<kColumns>(m, n, k, a, lda, packed, c, ldc);
}

void MultiplyAt(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                std::int64_t lda, const float* packed, float* c,
                std::int64_t ldc, std::int32_t accumulate) {
  if (accumulate == 0) Clear(m, n, c, ldc);
  AddProduct<kRows>(m, n, k, a, lda, packed, c, ldc);
}

}  // namespace podsim::module
