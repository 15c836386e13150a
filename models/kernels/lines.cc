#include "models/kernels/lines.h"

#include <algorithm>
#include <limits>

#include "models/kernels/float_bits.h"

namespace podsim::module {
namespace {

constexpr std::int64_t kLineLanes = 16;
constexpr std::int64_t kLineStretch = 32 * kLineLanes;

struct Sum {
  static constexpr float kNeutral = 0;
  static float Of(float a, float b) { return a + b; }
};

// NaN of NaN, the second one's first; of two zeros the one whose sign says so.
inline float Chosen(bool second, float a, float b, std::uint32_t equal) {
  const float chosen = second ? b : a;
  const float known = b != b ? b : chosen;
  return a == b ? FromBits(equal) : known;
}

struct Largest {
  static constexpr float kNeutral = -std::numeric_limits<float>::infinity();
  static float Of(float a, float b) {
    return Chosen(a <= b, a, b, Bits(a) & Bits(b));
  }
};

struct Smallest {
  static constexpr float kNeutral = std::numeric_limits<float>::infinity();
  static float Of(float a, float b) {
    return Chosen(a >= b, a, b, Bits(a) | Bits(b));
  }
};

template <typename Fold>
void FoldLanes(std::int64_t count, const float* x, float* into) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) into[i] = Fold::Of(into[i], x[i]);
}

template <typename Fold>
void FoldStretch(std::int64_t count, const float* x, float* total) {
  float lanes[kLineLanes];
  std::fill_n(lanes, kLineLanes, Fold::kNeutral);
  std::int64_t i = 0;
  for (; i + kLineLanes <= count; i += kLineLanes)
    FoldLanes<Fold>(kLineLanes, x + i, lanes);
  for (std::int64_t lane = 0; i < count; ++lane, ++i)
    lanes[lane] = Fold::Of(lanes[lane], x[i]);
  FoldLanes<Fold>(kLineLanes, lanes, total);
}

template <typename Fold>
float FoldLine(std::int64_t length, const float* x) {
  float total[kLineLanes];
  std::fill_n(total, kLineLanes, Fold::kNeutral);
  for (std::int64_t i = 0; i < length; i += kLineStretch)
    FoldStretch<Fold>(std::min(length - i, kLineStretch), x + i, total);
  for (std::int64_t half = kLineLanes / 2; half > 0; half /= 2)
    for (std::int64_t lane = 0; lane < half; ++lane)
      total[lane] = Fold::Of(total[lane], total[lane + half]);
  // As one stretch of one part: of -0 alone the sum is 0.
  return Fold::Of(Fold::kNeutral, Fold::Of(Fold::kNeutral, total[0]));
}

template <typename Fold>
void FoldEach(std::int64_t lines, std::int64_t length, const float* x,
              float* out) {
  for (std::int64_t line = 0; line < lines; ++line, x += length)
    out[line] = FoldLine<Fold>(length, x);
}

}  // namespace

void SumLines(std::int64_t lines, std::int64_t length, const float* x,
              float* out) {
  FoldEach<Sum>(lines, length, x, out);
}

void MaximumOfLines(std::int64_t lines, std::int64_t length, const float* x,
                    float* out) {
  FoldEach<Largest>(lines, length, x, out);
}

void MinimumOfLines(std::int64_t lines, std::int64_t length, const float* x,
                    float* out) {
  FoldEach<Smallest>(lines, length, x, out);
}

void SpreadLines(std::int64_t lines, std::int64_t length, const float* x,
                 float* out) {
  for (std::int64_t line = 0; line < lines; ++line, out += length) {
    const float number = x[line];
#pragma omp simd
    for (std::int64_t i = 0; i < length; ++i) out[i] = number;
  }
}

}  // namespace podsim::module
