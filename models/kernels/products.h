// The matrix products of a kernel module on the CPU's vectors; see
// PodsimProducts for what each function means.
#ifndef PODSIM_MODELS_KERNELS_PRODUCTS_H_
#define PODSIM_MODELS_KERNELS_PRODUCTS_H_

#include <cstdint>

namespace podsim::module {

std::int64_t PackedElements(std::int64_t n, std::int64_t k);

void Pack(std::int64_t n, std::int64_t k, const float* b, std::int64_t ldb,
          std::int64_t begin, std::int64_t end, float* packed);
void PackBt(std::int64_t n, std::int64_t k, const float* b, std::int64_t ldb,
            std::int64_t begin, std::int64_t end, float* packed);

// The same, rounded to bfloat16.
void PackRounded(std::int64_t n, std::int64_t k, const float* b,
                 std::int64_t ldb, std::int64_t begin, std::int64_t end,
                 float* packed);
void PackBtRounded(std::int64_t n, std::int64_t k, const float* b,
                   std::int64_t ldb, std::int64_t begin, std::int64_t end,
                   float* packed);

void Multiply(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
              std::int64_t lda, const float* packed, float* c,
              std::int64_t ldc);
void MultiplyAt(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                std::int64_t lda, const float* packed, float* c,
                std::int64_t ldc, std::int32_t accumulate);

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_PRODUCTS_H_
