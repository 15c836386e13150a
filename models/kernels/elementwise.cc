// Loops that the compiler vectorises for the module's level. "omp simd" says
// that no iteration needs another's result, which holds in place too (output
// equal to an input). Products and sums are never contracted to FMA (see
// CMakeLists.txt), so that every level gives the same bits.
#include "models/kernels/elementwise.h"

#include <algorithm>
#include <bit>

#include "models/kernels/rounded_bits.h"

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

void Relu(std::int64_t count, const float* x, float* out) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) out[i] = x[i] <= 0 ? 0.0f : x[i];
}

void ReluGrad(std::int64_t count, const float* dy, const float* y, float* dx) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) dx[i] = y[i] > 0 ? dy[i] : 0.0f;
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
