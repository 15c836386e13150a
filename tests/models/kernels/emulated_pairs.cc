#include "tests/models/kernels/emulated_pairs.h"

#include <cmath>
#include <cstring>

#include "models/kernels/pair_product.h"
#include "models/kernels/reference.h"
#include "tests/models/kernels/bfloat16_pair.h"

namespace podsim {
namespace {

using module::kVectorFloats;
using module::Vector;

// A unit of models/kernels/pair_product.h.
struct EmulatedPairUnit {
  static Vector Add(const Vector& left, const Vector& right,
                    const Vector& sum) {
    std::uint32_t pairs[2][kVectorFloats];
    float sums[kVectorFloats];
    std::memcpy(pairs[0], &left, sizeof left);
    std::memcpy(pairs[1], &right, sizeof right);
    std::memcpy(sums, &sum, sizeof sum);
    for (std::int64_t i = 0; i < kVectorFloats; ++i)
      sums[i] = EmulateVdpbf16ps(pairs[0][i], pairs[1][i], sums[i]);
    return Eigen::internal::ploadu<Vector>(sums);
  }
};

PodsimKernels MakeTable() {
  PodsimKernels table = ReferenceKernels();
  table.isa = "bf16";
  table.bfloat16 = module::kPairProducts<EmulatedPairUnit>;
  return table;
}

}  // namespace

float EmulateVdpbf16ps(std::uint32_t left, std::uint32_t right, float sum) {
  sum =
      WithoutDenormal(std::fma(High(left), High(right), WithoutDenormal(sum)));
  return WithoutDenormal(std::fma(Low(left), Low(right), sum));
}

const PodsimKernels& EmulatedPairKernels() {
  static const PodsimKernels& table = *new PodsimKernels(MakeTable());
  return table;
}

}  // namespace podsim
