// Pairs of bfloat16 numbers that are neighbours along K, in 32 bits (moved
// about as floats): the lower half holds the one of lower K, zero stands for
// the one after an odd K's last. A's values must have been rounded; B's are
// rounded on the way.
#ifndef PODSIM_MODELS_KERNELS_PAIR_PACK_H_
#define PODSIM_MODELS_KERNELS_PAIR_PACK_H_

#include <cstdint>

namespace podsim::module {

constexpr std::int64_t PairCount(std::int64_t k) { return (k + 1) / 2; }

// A[M,K] as to[row][pair], rows `stride` apart.
void PairsAlongK(std::int64_t m, std::int64_t k, const float* a,
                 std::int64_t lda, float* to, std::int64_t stride);
// A that lies transposed, a[K,M], as to[pair][row], pairs `stride` apart.
void PairsAcrossK(std::int64_t m, std::int64_t k, const float* a,
                  std::int64_t lda, float* to, std::int64_t stride);

// The entries of PodsimProducts for B.
std::int64_t PackedPairs(std::int64_t n, std::int64_t k);
void PackPairs(std::int64_t n, std::int64_t k, const float* b, std::int64_t ldb,
               std::int64_t begin, std::int64_t end, float* packed);
void PackPairsBt(std::int64_t n, std::int64_t k, const float* b,
                 std::int64_t ldb, std::int64_t begin, std::int64_t end,
                 float* packed);

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_PAIR_PACK_H_
