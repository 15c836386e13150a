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

// out[i] = kFunction(in[0][i]), of one operand.
template <float (*kFunction)(float)>
void Map(std::int64_t count, const float* const* in, float* out) {
  const float* x = in[0];
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) out[i] = kFunction(x[i]);
}

// out[i] = kFunction(in[0][i], in[1][i]), of two.
template <float (*kFunction)(float, float)>
void Map(std::int64_t count, const float* const* in, float* out) {
  const float* x = in[0];
  const float* y = in[1];
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) out[i] = kFunction(x[i], y[i]);
}

// NaN stays NaN.
inline float Relu(float x) { return x <= 0 ? 0.0f : x; }

inline float ReluGrad(float dy, float y) { return y > 0 ? dy : 0.0f; }

inline float Add(float a, float b) { return a + b; }

// Lambert's continued fraction z / (1 + z^2 / (3 + z^2 / (5 + ...))) up to 15
// (Abramowitz and Stegun 4.5.70), written as one quotient. It is off by less
// than 2e-9 at a quarter of any x whose tanh is not 1 in float32, and tanh(2z)
// = 2t / (1 + t^2) leads back to x, making errors no larger on the way. All
// coefficients are float32 numbers. With the roundings of the polynomials (at
// most 4 near 0, where errors stay as they are) and of two doublings (2 each)
// the result is off by less than 10 units of 2^-24.
inline float Tanh(float x) {
  constexpr float kFlat = 9.1f;
  const float near = x > kFlat ? kFlat : x < -kFlat ? -kFlat : x;
  const float z = 0.25f * near;
  const float s = z * z;
  const float above =
      z * (((36.0f * s + 6930.0f) * s + 270270.0f) * s + 2027025.0f);
  const float below =
      (((s + 630.0f) * s + 51975.0f) * s + 945945.0f) * s + 2027025.0f;
  const float quarter = above / below;
  const float half = (quarter + quarter) / (quarter * quarter + 1.0f);
  const float whole = (half + half) / (half * half + 1.0f);
  return whole > 1.0f ? 1.0f : whole < -1.0f ? -1.0f : whole;
}

// 1 - y^2 in factors, which lose nothing where y is near 1.
inline float TanhGrad(float dy, float y) {
  return dy * ((1.0f - y) * (1.0f + y));
}

}  // namespace

// The kernels of models/ops/elementwise.cc.
const PodsimElementwise kElementwise[] = {
    {"Relu", Map<Relu>}, {"ReluGrad", Map<ReluGrad>}, {"Add", Map<Add>},
    {"Tanh", Map<Tanh>}, {"TanhGrad", Map<TanhGrad>}, {nullptr, nullptr},
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
