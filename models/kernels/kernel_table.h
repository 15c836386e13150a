// The C table that a kernel module exports, and the constants that its bits
// depend on. No C++ library is included here: modules are compiled for newer
// CPUs than the rest of the program, so they share no inline code with it.
//
// Use models/kernels/kernels.h to get a table.
#ifndef PODSIM_MODELS_KERNELS_KERNEL_TABLE_H_
#define PODSIM_MODELS_KERNELS_KERNEL_TABLE_H_

#include <cstdint>

namespace podsim {

// Where a product's columns may be cut: a multiple of what every level's inner
// kernel computes at once (32 at v4, 16 at v3, 8 at v2; a tile has 16).
inline constexpr std::int64_t kColumnCut = 32;

// What packed operands are aligned to.
inline constexpr std::int64_t kPackedAlignment = 64;

extern "C" {

// C[M,N] = A * B in two steps: B is packed into the order in which the level
// reads it, then any number of row ranges of A are multiplied with it. lda, ldb
// and ldc are row lengths in memory. What is packed is of use to the same level
// only. Nothing is done where M or N is 0.
//
// The bits of a row of C do not depend on M, nor on which other rows there are;
// B may be packed in ranges of columns that begin at multiples of kColumnCut.
struct PodsimProducts {
  // Elements of B[K,N] when packed; the memory is aligned to kPackedAlignment.
  std::int64_t (*packed_elements)(std::int64_t n, std::int64_t k);
  // Packs columns [begin, end) of B[K,N] to where they belong in `packed`.
  void (*pack)(std::int64_t n, std::int64_t k, const float* b, std::int64_t ldb,
               std::int64_t begin, std::int64_t end, float* packed);
  // The same for a B that lies transposed: b[N,K].
  void (*pack_bt)(std::int64_t n, std::int64_t k, const float* b,
                  std::int64_t ldb, std::int64_t begin, std::int64_t end,
                  float* packed);
  // C[M,N] = A[M,K] * B.
  void (*multiply)(std::int64_t m, std::int64_t n, std::int64_t k,
                   const float* a, std::int64_t lda, const float* packed,
                   float* c, std::int64_t ldc);
  // C[M,N] (+)= A[K,M]^T * B; accumulate != 0 adds to C.
  void (*multiply_at)(std::int64_t m, std::int64_t n, std::int64_t k,
                      const float* a, std::int64_t lda, const float* packed,
                      float* c, std::int64_t ldc, std::int32_t accumulate);
};

// An element-wise op: out[i] is a function of in[0][i], in[1][i], ... In place
// allowed: `out` may be one of `in`. The same bits at every level.
struct PodsimElementwise {
  const char* op;  // what models/ops calls it; null ends a list
  void (*run)(std::int64_t count, const float* const* in, float* out);
};

// An update rule (models/rules/), with or without weight decay. scalars is an
// UpdateScalars; slots has the rule's, [count] each.
struct PodsimUpdate {
  // Moves the weights w[count] by the gradient g[count]; a trust ratio is 1.
  void (*update)(std::int64_t count, const float* scalars, const float* g,
                 float* const* slots, float* w);
  // The same in two halves, as the trust ratio takes the whole variable's
  // norms; null unless the rule is layer-wise. g becomes the update u, then w
  // moves by ratio * u.
  void (*direction)(std::int64_t count, const float* scalars, float* g,
                    float* const* slots, const float* w);
  void (*apply)(std::int64_t count, const float* scalars, float ratio,
                const float* u, float* const* slots, float* w);
};

// M rows, N columns. Nothing is done where M, N or count is 0. Element-wise
// functions work in place (the output may be an input). Those other than the
// softmax give the same bits at every level.
struct PodsimKernels {
  std::int32_t abi_version;  // kKernelAbiVersion
  const char* isa;           // "v2", "v3", "v4", "bf16", "amx"

  // Null where the level is known by cpuid alone. Else a product on the level's
  // matrix unit whose answer is known: 1 if it came out right. Kills the
  // process by a signal where an instruction is missing, and allocates nothing,
  // so that a forked child can run it. The other functions may be called after
  // that.
  std::int32_t (*trial)();

  PodsimProducts float32;
  // The matrix unit's: B is rounded to bfloat16 as it is packed, A must have
  // been (round_bfloat16); products are summed in float32. A level without such
  // a unit multiplies as in float32; a unit takes denormals, of operands and of
  // sums, for zero.
  PodsimProducts bfloat16;

  // to[i] = bfloat16(from[i]) as float32: nearest even, overflow to infinity,
  // NaN stays NaN, subnormals (of bfloat16's range) flushed to zero. In place
  // allowed. [Google's bfloat16 page; tpu-facts 2.5]
  void (*round_bfloat16)(std::int64_t count, const float* from, float* to);

  const PodsimElementwise* elementwise;

  // out[M,N] = x[M,N] + bias[N].
  void (*add_bias)(std::int64_t m, std::int64_t n, const float* x,
                   const float* bias, float* out);
  // sums[N] (+)= column sums of x[M,N], rows added in order.
  void (*column_sums)(std::int64_t m, std::int64_t n, const float* x,
                      float* sums, std::int32_t accumulate);
  // out[M] = the N neighbours of each line of x[M,N] added up, the largest and
  // the smallest of them. Element i is folded into lane i mod 16 of a stretch
  // of 512, the stretches' lanes into each other, and the lanes by halves.
  void (*sum_lines)(std::int64_t m, std::int64_t n, const float* x, float* out);
  void (*maximum_of_lines)(std::int64_t m, std::int64_t n, const float* x,
                           float* out);
  void (*minimum_of_lines)(std::int64_t m, std::int64_t n, const float* x,
                           float* out);
  // out[M,N] = x[M] in all of a line.
  void (*spread_lines)(std::int64_t m, std::int64_t n, const float* x,
                       float* out);
  // Per row: loss[M] = logsumexp(logits) - logits[label], prob[M,N] = softmax,
  // correct[M] = 1 if argmax (first of equals) is the label, else 0. A label
  // outside [0, N) makes the row's loss NaN.
  void (*softmax_xent)(std::int64_t m, std::int64_t n, const float* logits,
                       const std::int32_t* labels, float* prob, float* loss,
                       float* correct);
  // dlogits[M,N] = (prob - onehot(label)) * weight[row].
  void (*softmax_xent_grad)(std::int64_t m, std::int64_t n, const float* prob,
                            const std::int32_t* labels, const float* weight,
                            float* dlogits);
  // By number of the rule (NumberOf), then whether weight decay applies.
  std::int32_t update_rules;
  const PodsimUpdate (*updates)[2];
};

}  // extern "C"

inline constexpr std::int32_t kKernelAbiVersion = 9;

// The one symbol that a module exports.
inline constexpr char kKernelEntryPoint[] = "podsim_kernels";
using KernelEntryPoint = const PodsimKernels* (*)();

}  // namespace podsim

#endif  // PODSIM_MODELS_KERNELS_KERNEL_TABLE_H_
