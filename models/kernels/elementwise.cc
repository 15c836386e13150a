// The element functions of this folder by name, and loops of other kinds that
// the compiler vectorises for the module's level. Products and sums are never
// contracted to FMA (see CMakeLists.txt), so that every level gives the same
// bits.
#include "models/kernels/elementwise.h"

#include <algorithm>
#include <bit>

#include "models/kernels/arithmetic.h"
#include "models/kernels/exponential.h"
#include "models/kernels/logarithm.h"
#include "models/kernels/map.h"
#include "models/kernels/polynomials.h"
#include "models/kernels/power.h"
#include "models/kernels/rounded_bits.h"
#include "models/kernels/rounding.h"
#include "models/kernels/trigonometry.h"

namespace podsim::module {
namespace {

void RoundRun(std::int64_t count, const float* from, float* to) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] = std::bit_cast<float>(
        RoundedBits(std::bit_cast<std::uint32_t>(from[i])));
  }
}

}  // namespace

// The kernels of models/ops/elementwise.cc, in its order.
const PodsimElementwise kElementwise[] = {
    {"Relu", Map<Relu>},
    {"ReluGrad", Map<ReluGrad>},
    {"MaximumGrad", Map<MaximumGrad>},
    {"negate", Map<Negate>},
    {"abs", Map<Abs>},
    {"sign", Map<Sign>},
    {"add", Map<Add>},
    {"subtract", Map<Subtract>},
    {"multiply", Map<Multiply>},
    {"divide", Map<Divide>},
    {"remainder", MapOneByOne<Remainder>},
    {"maximum", Map<Maximum>},
    {"minimum", Map<Minimum>},
    {"clamp", Map<Clamp>},
    {"floor", Map<Floor>},
    {"ceil", Map<Ceil>},
    {"round_nearest_even", Map<RoundNearestEven>},
    {"round_nearest_afz", Map<RoundNearestAfz>},
    {"exponential", Map<Exponential>},
    {"exponential_minus_one", Map<ExponentialMinusOne>},
    {"log", Map<Log>},
    {"log_plus_one", Map<LogPlusOne>},
    {"logistic", Map<Logistic>},
    {"tanh", Map<Tanh>},
    {"sqrt", Map<Sqrt>},
    {"rsqrt", Map<Rsqrt>},
    {"cbrt", Map<Cbrt>},
    {"power", Map<Power>},
    {"sine", MapButRare<Sine, IsFar, FarSine>},
    {"cosine", MapButRare<Cosine, IsFar, FarCosine>},
    {"tan", MapButRare<Tangent, IsFar, FarTangent>},
    {"atan2", Map<Atan2>},
    {"erf", Map<Erf>},
    {nullptr, nullptr},
};

// Lines that will be written are asked for one run ahead.
void RoundBfloat16(std::int64_t count, const float* from, float* to) {
  constexpr std::int64_t kRun = 256;
  constexpr std::int64_t kLineFloats = 16;
  for (; count >= kRun; count -= kRun, from += kRun, to += kRun) {
    for (std::int64_t i = kRun; i < 2 * kRun; i += kLineFloats)
      __builtin_prefetch(to + i, 1);
    RoundRun(kRun, from, to);
  }
  RoundRun(count, from, to);
}

void AddBias(std::int64_t m, std::int64_t n, const float* x, const float* bias,
             float* out) {
  for (std::int64_t row = 0; row < m; ++row, x += n, out += n) {
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) out[i] = x[i] + bias[i];
  }
}

void ColumnSums(std::int64_t m, std::int64_t n, const float* x, float* sums,
                std::int32_t accumulate) {
  if (accumulate == 0) std::fill(sums, sums + n, 0.0f);
  for (std::int64_t row = 0; row < m; ++row, x += n) {
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) sums[i] += x[i];
  }
}

void SoftmaxXentGrad(std::int64_t m, std::int64_t n, const float* prob,
                     const std::int32_t* labels, const float* weight,
                     float* dlogits) {
  for (std::int64_t row = 0; row < m; ++row, prob += n, dlogits += n) {
    const std::int64_t label = labels[row];
    const bool valid = label >= 0 && label < n;
    const float at_label = valid ? (prob[label] - 1.0f) * weight[row] : 0.0f;
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) dlogits[i] = prob[i] * weight[row];
    if (valid) dlogits[label] = at_label;
  }
}

}  // namespace podsim::module
