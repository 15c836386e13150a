// Loops that apply an element function. "omp simd" says that no iteration needs
// another's result, which holds in place too (output equal to an input).
#ifndef PODSIM_MODELS_KERNELS_MAP_H_
#define PODSIM_MODELS_KERNELS_MAP_H_

#include <algorithm>
#include <cstdint>

namespace podsim::module {

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

// Of three.
template <float (*kFunction)(float, float, float)>
void Map(std::int64_t count, const float* const* in, float* out) {
  const float* x = in[0];
  const float* y = in[1];
  const float* z = in[2];
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) out[i] = kFunction(x[i], y[i], z[i]);
}

// For a function with loops, which makes no vectors.
template <float (*kFunction)(float, float)>
void MapOneByOne(std::int64_t count, const float* const* in, float* out) {
  for (std::int64_t i = 0; i < count; ++i)
    out[i] = kFunction(in[0][i], in[1][i]);
}

// kFunction, but kRare where kIsRare says so: numbers that seldom come and have
// a way of their own, one by one.
template <float (*kFunction)(float), bool (*kIsRare)(float),
          float (*kRare)(float)>
void MapButRare(std::int64_t count, const float* const* in, float* out) {
  constexpr std::int64_t kRun = 256;
  for (std::int64_t done = 0; done < count; done += kRun) {
    const std::int64_t run = std::min(kRun, count - done);
    float x[kRun];
    std::copy_n(in[0] + done, run, x);  // `out` may lie there
    std::int32_t rare = 0;
#pragma omp simd reduction(| : rare)
    for (std::int64_t i = 0; i < run; ++i) {
      out[done + i] = kFunction(x[i]);
      rare |= static_cast<std::int32_t>(kIsRare(x[i]));
    }
    for (std::int64_t i = 0; rare != 0 && i < run; ++i)
      if (kIsRare(x[i])) out[done + i] = kRare(x[i]);
  }
}

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_MAP_H_
