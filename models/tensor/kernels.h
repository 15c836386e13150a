// The numerics behind a table of C functions, one shared object per ISA level.
//
// The same Eigen source is compiled once per level into a module with hidden
// symbols and one exported function; the module is opened with RTLD_LOCAL, so
// that no weak symbol is shared between levels. All matrices are row-major
// float32. Every function is single-threaded, allocates nothing that outlives
// it, and its bits depend on its arguments alone (Eigen's blocking is pinned to
// constants, see kPinnedL1Bytes).
#ifndef PODSIM_MODELS_TENSOR_KERNELS_H_
#define PODSIM_MODELS_TENSOR_KERNELS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace podsim {

// Cache sizes that Eigen is told, whatever the machine has, as its blocking
// follows them and changes bits. Part of PlanBits through numerics_version.
inline constexpr std::int64_t kPinnedL1Bytes = 32 << 10;
inline constexpr std::int64_t kPinnedL2Bytes = 512 << 10;
inline constexpr std::int64_t kPinnedL3Bytes = 2 << 20;

extern "C" {

// M rows, N columns of the result, K summed. Letters as in Shape comments.
struct PodsimKernels {
  std::int32_t abi_version;  // kKernelAbiVersion
  const char* isa;           // "v2", "v3", "v4"

  // C[M,N] = A[M,K] * B[K,N].
  void (*matmul)(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                 std::int64_t lda, const float* b, std::int64_t ldb, float* c,
                 std::int64_t ldc);
  // C[M,N] = A[M,K] * B[N,K]^T.
  void (*matmul_bt)(std::int64_t m, std::int64_t n, std::int64_t k,
                    const float* a, std::int64_t lda, const float* b,
                    std::int64_t ldb, float* c, std::int64_t ldc);
  // C[M,N] (+)= A[K,M]^T * B[K,N]; accumulate != 0 adds to C.
  void (*matmul_at)(std::int64_t m, std::int64_t n, std::int64_t k,
                    const float* a, std::int64_t lda, const float* b,
                    std::int64_t ldb, float* c, std::int64_t ldc,
                    std::int32_t accumulate);

  // to[i] = bfloat16(from[i]) as float32: nearest even, overflow to infinity,
  // NaN stays NaN, subnormals (of bfloat16's range) flushed to zero. In place
  // allowed. [Google's bfloat16 page; tpu-facts 2.5]
  void (*round_bfloat16)(std::int64_t count, const float* from, float* to);

  // out[M,N] = x[M,N] + bias[N].
  void (*add_bias)(std::int64_t m, std::int64_t n, const float* x,
                   const float* bias, float* out);
  // out = max(x, 0); NaN stays NaN.
  void (*relu)(std::int64_t count, const float* x, float* out);
  // dx = y > 0 ? dy : 0.
  void (*relu_grad)(std::int64_t count, const float* dy, const float* y,
                    float* dx);
  // sums[N] (+)= column sums of x[M,N], rows added in order.
  void (*column_sums)(std::int64_t m, std::int64_t n, const float* x,
                      float* sums, std::int32_t accumulate);
  // Per row: loss[M] = logsumexp(logits) - logits[label], prob[M,N] = softmax,
  // correct[M] = 1 if argmax (first of equals) is the label, else 0.
  void (*softmax_xent)(std::int64_t m, std::int64_t n, const float* logits,
                       const std::int32_t* labels, float* prob, float* loss,
                       float* correct);
  // dlogits[M,N] = (prob - onehot(label)) * weight[row].
  void (*softmax_xent_grad)(std::int64_t m, std::int64_t n, const float* prob,
                            const std::int32_t* labels, const float* weight,
                            float* dlogits);
  // v = momentum * v + g;  w = w - rate * v.
  void (*sgd_momentum)(std::int64_t count, float rate, float momentum,
                       const float* g, float* v, float* w);
};

}  // extern "C"

inline constexpr std::int32_t kKernelAbiVersion = 1;

// ISA levels in ascending order: "v2" (x86-64-v2), "v3" (AVX2, FMA), "v4"
// (AVX-512). "amx" is to follow.
const std::vector<std::string>& IsaLevels();

// The best level that this CPU runs and whose module is installed.
// Errors: FAILED_PRECONDITION (the CPU is older than v2),
//   NOT_FOUND (no module; says where it was looked for).
absl::StatusOr<std::string> BestIsa();

// The lower of two levels. REQUIRES: both in IsaLevels().
std::string CommonIsa(std::string_view a, std::string_view b);

// Opens a level's module once per process (later calls return the same table,
// valid until the process ends). Thread-safe. Looked for in
// $PODSIM_KERNEL_DIR, ../lib/podsim beside the program, the build tree and the
// installed tree, in this order.
// Errors: INVALID_ARGUMENT (unknown level), FAILED_PRECONDITION (this CPU
//   cannot run it), NOT_FOUND (module), INTERNAL (wrong ABI).
absl::StatusOr<const PodsimKernels*> LoadKernels(std::string_view isa);

// "Eigen 3.4.0": enters the plan.
std::string KernelLibraryVersion();

}  // namespace podsim

#endif  // PODSIM_MODELS_TENSOR_KERNELS_H_
