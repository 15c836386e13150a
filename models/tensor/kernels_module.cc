// One level's kernel module, and the only file that includes Eigen. Compiled
// once per ISA level (CMakeLists.txt), it exports podsim_kernels() alone.
//
// Products call Eigen's blocked kernel directly, as Eigen's own BLAS does: the
// expression C = A * B would pick a different algorithm (dot products,
// matrix-vector) when a dimension happens to be small, and so change the bits
// of a row with the number of other rows.
#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "models/tensor/elementwise.h"
#include "models/tensor/kernel_table.h"

namespace podsim::module {
namespace {

static_assert(kPinnedL1Bytes > 0 && kPinnedL2Bytes > 0 && kPinnedL3Bytes > 0);

// Rows that Eigen's inner kernel takes at once; left-over rows would go through
// another kernel with another order of sums.
constexpr std::int64_t kRowBlock = 4;

// Where element (row, k) of A lies: A[row * lda + k], or transposed,
// A[k * lda + row].
enum class Layout : std::uint8_t { kPlain, kTransposed };

// C[M,N] += A * B for M a multiple of kRowBlock. Eigen works on columns first,
// so it is asked for C^T = B^T * A^T, where everything reads the other way.
template <Layout kA, Layout kB>
void AddWholeBlocks(std::int64_t m, std::int64_t n, std::int64_t k,
                    const float* a, std::int64_t lda, const float* b,
                    std::int64_t ldb, float* c, std::int64_t ldc) {
  constexpr auto kLeft =
      kB == Layout::kPlain ? Eigen::ColMajor : Eigen::RowMajor;
  constexpr auto kRight =
      kA == Layout::kPlain ? Eigen::ColMajor : Eigen::RowMajor;
  Eigen::internal::gemm_blocking_space<Eigen::ColMajor, float, float,
                                       Eigen::Dynamic, Eigen::Dynamic,
                                       Eigen::Dynamic>
      blocking(n, m, k, /*num_threads=*/1, /*l3_blocking=*/true);
  Eigen::internal::general_matrix_matrix_product<
      Eigen::Index, float, kLeft, false, float, kRight, false, Eigen::ColMajor,
      1>::run(n, m, k, b, ldb, a, lda, c, /*resIncr=*/1, ldc, /*alpha=*/1.0f,
              blocking);
}

// The last M % kRowBlock rows, padded with zero rows to a whole block.
template <Layout kA, Layout kB>
void AddLastRows(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                 std::int64_t lda, const float* b, std::int64_t ldb, float* c,
                 std::int64_t ldc) {
  std::vector<float> padded_a(static_cast<std::size_t>(kRowBlock * k));
  std::vector<float> padded_c(static_cast<std::size_t>(kRowBlock * n));
  if constexpr (kA == Layout::kPlain) {
    for (std::int64_t row = 0; row < m; ++row) {
      std::copy_n(a + row * lda, k, padded_a.data() + row * k);
    }
  } else {
    for (std::int64_t i = 0; i < k; ++i) {
      std::copy_n(a + i * lda, m, padded_a.data() + i * kRowBlock);
    }
  }
  for (std::int64_t row = 0; row < m; ++row) {
    std::copy_n(c + row * ldc, n, padded_c.data() + row * n);
  }
  AddWholeBlocks<kA, kB>(kRowBlock, n, k, padded_a.data(),
                         kA == Layout::kPlain ? k : kRowBlock, b, ldb,
                         padded_c.data(), n);
  for (std::int64_t row = 0; row < m; ++row) {
    std::copy_n(padded_c.data() + row * n, n, c + row * ldc);
  }
}

template <Layout kA, Layout kB>
void Product(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
             std::int64_t lda, const float* b, std::int64_t ldb, float* c,
             std::int64_t ldc, bool accumulate) {
  if (!accumulate) {
    for (std::int64_t row = 0; row < m; ++row) {
      std::fill_n(c + row * ldc, n, 0.0f);
    }
  }
  if (n == 0 || k == 0) return;
  const std::int64_t whole = m - m % kRowBlock;
  if (whole > 0) {
    AddWholeBlocks<kA, kB>(whole, n, k, a, lda, b, ldb, c, ldc);
  }
  if (whole < m) {
    AddLastRows<kA, kB>(m - whole, n, k,
                        a + (kA == Layout::kPlain ? whole * lda : whole), lda,
                        b, ldb, c + whole * ldc, ldc);
  }
}

void Matmul(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
            std::int64_t lda, const float* b, std::int64_t ldb, float* c,
            std::int64_t ldc) {
  Product<Layout::kPlain, Layout::kPlain>(m, n, k, a, lda, b, ldb, c, ldc,
                                          false);
}

void MatmulBt(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
              std::int64_t lda, const float* b, std::int64_t ldb, float* c,
              std::int64_t ldc) {
  Product<Layout::kPlain, Layout::kTransposed>(m, n, k, a, lda, b, ldb, c, ldc,
                                               false);
}

void MatmulAt(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
              std::int64_t lda, const float* b, std::int64_t ldb, float* c,
              std::int64_t ldc, std::int32_t accumulate) {
  Product<Layout::kTransposed, Layout::kPlain>(m, n, k, a, lda, b, ldb, c, ldc,
                                               accumulate != 0);
}

// A fixed number of lanes, the same at every level, makes the order of a row's
// sum the same too. Whole arrays go through Eigen's vector exp and log: never
// through libm's, which picks its code by CPU, and never through a scalar tail.
constexpr std::int64_t kLanes = 16;
using Lanes = Eigen::Array<float, kLanes, 1>;

float RowMax(std::int64_t n, const float* row) {
  Lanes best = Lanes::Constant(-std::numeric_limits<float>::infinity());
  for (std::int64_t i = 0; i < n; i += kLanes) {
    const std::int64_t count = std::min(kLanes, n - i);
    for (std::int64_t lane = 0; lane < count; ++lane) {
      best[lane] = row[i + lane] > best[lane] ? row[i + lane] : best[lane];
    }
  }
  float max = best[0];
  for (const float value : best) max = value > max ? value : max;
  return max;
}

float LaneSum(Lanes lanes) {
  for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::int64_t lane = 0; lane < half; ++lane) {
      lanes[lane] += lanes[lane + half];
    }
  }
  return lanes[0];
}

// out = exp(row - max), unnormalised; returns the sum.
float RowExp(std::int64_t n, float max, const float* row, float* out) {
  Lanes sums = Lanes::Zero();
  for (std::int64_t i = 0; i < n; i += kLanes) {
    const std::int64_t count = std::min(kLanes, n - i);
    Lanes lanes = Lanes::Zero();
    for (std::int64_t lane = 0; lane < count; ++lane) {
      lanes[lane] = row[i + lane] - max;
    }
    lanes = lanes.exp();
    for (std::int64_t lane = 0; lane < count; ++lane) {
      out[i + lane] = lanes[lane];
      sums[lane] += lanes[lane];
    }
  }
  return LaneSum(sums);
}

void SoftmaxXent(std::int64_t m, std::int64_t n, const float* logits,
                 const std::int32_t* labels, float* prob, float* loss,
                 float* correct) {
  for (std::int64_t first = 0; first < m; first += kLanes) {
    const std::int64_t rows = std::min(kLanes, m - first);
    Lanes sums = Lanes::Ones();
    Lanes shifts = Lanes::Zero();  // max - logits[label]
    for (std::int64_t i = 0; i < rows; ++i) {
      const float* row = logits + (first + i) * n;
      float* row_prob = prob + (first + i) * n;
      const std::int64_t label = labels[first + i];
      const bool valid = label >= 0 && label < n;
      const float max = RowMax(n, row);
      shifts[i] =
          valid ? max - row[label] : std::numeric_limits<float>::quiet_NaN();
      correct[first + i] =
          valid && row[label] == max &&
                  std::find(row, row + label, max) == row + label
              ? 1.0f
              : 0.0f;
      sums[i] = RowExp(n, max, row, row_prob);
      for (std::int64_t column = 0; column < n; ++column) {
        row_prob[column] /= sums[i];
      }
    }
    sums = sums.log();
    for (std::int64_t i = 0; i < rows; ++i)
      loss[first + i] = sums[i] + shifts[i];
  }
}

constexpr PodsimKernels kTable = {
    .abi_version = kKernelAbiVersion,
    .isa = PODSIM_KERNEL_ISA,
    .matmul = Matmul,
    .matmul_bt = MatmulBt,
    .matmul_at = MatmulAt,
    .round_bfloat16 = RoundBfloat16,
    .add_bias = AddBias,
    .relu = Relu,
    .relu_grad = ReluGrad,
    .column_sums = ColumnSums,
    .softmax_xent = SoftmaxXent,
    .softmax_xent_grad = SoftmaxXentGrad,
    .sgd_momentum = SgdMomentum,
};

}  // namespace
}  // namespace podsim::module

// Pins Eigen's cache sizes, so call it once before any other thread computes.
extern "C" __attribute__((visibility("default"))) const podsim::PodsimKernels*
podsim_kernels() {
  Eigen::setCpuCacheSizes(podsim::kPinnedL1Bytes, podsim::kPinnedL2Bytes,
                          podsim::kPinnedL3Bytes);
  return &podsim::module::kTable;
}
