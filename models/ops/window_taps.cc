#include "models/ops/window_taps.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace podsim {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kMostSteps = std::int64_t{1} << 20;

// In [0, unit), of negative numbers too.
std::int64_t Modulo(std::int64_t x, std::int64_t unit) {
  const std::int64_t rest = x % unit;
  return rest < 0 ? rest + unit : rest;
}

// The least j >= 0 for which start + j * step is a multiple of `unit`; -1 if
// there is none.
std::int64_t StepsToMultiple(std::int64_t start, std::int64_t step,
                             std::int64_t unit) {
  // Euclid: `divisor` becomes the greatest common one, which is step * inverse
  // modulo `unit`.
  std::int64_t divisor = step % unit;
  std::int64_t rest = unit;
  std::int64_t inverse = 1;
  std::int64_t next_inverse = 0;
  while (rest != 0) {
    const std::int64_t quotient = divisor / rest;
    divisor = std::exchange(rest, divisor - quotient * rest);
    inverse = std::exchange(next_inverse, inverse - quotient * next_inverse);
  }
  const std::int64_t missing = Modulo(-start, unit);
  if (missing % divisor != 0) return -1;
  const std::int64_t period = unit / divisor;
  const Wide steps =
      static_cast<Wide>(missing / divisor) * Modulo(inverse, period) % period;
  return static_cast<std::int64_t>(steps);
}

// How many of the places first, first + step, ... of the dilated operand,
// `count` of them, have an element.
std::int64_t CountElements(const WindowDimension& window, std::int64_t first,
                           std::int64_t step, std::int64_t count) {
  const std::int64_t unit = window.base_dilation;
  const std::int64_t last = DilatedSize(window.base, unit) - 1;
  if (first > last) return 0;
  const std::int64_t begin = first < 0 ? (step - 1 - first) / step : 0;
  const std::int64_t end = std::min(count, (last - first) / step + 1);
  if (begin >= end) return 0;
  const std::int64_t skipped =
      StepsToMultiple(first + begin * step, step, unit);
  if (skipped < 0 || begin + skipped >= end) return 0;
  const std::int64_t period = unit / std::gcd(step, unit);
  return (end - 1 - begin - skipped) / period + 1;
}

}  // namespace

double ShownTaps(const WindowDimension& window) {
  const std::int64_t places = window.Outputs();
  const bool by_taps = window.taps <= places;
  const std::int64_t steps = by_taps ? window.taps : places;
  const std::int64_t apart = (steps - 1) / kMostSteps + 1;
  double shown = 0;
  for (std::int64_t i = 0; i < steps; i += apart) {
    const std::int64_t count =
        by_taps ? CountElements(window, i * window.dilation - window.low,
                                window.stride, places)
                : CountElements(window, i * window.stride - window.low,
                                window.dilation, window.taps);
    shown += static_cast<double>(count) *
             static_cast<double>(std::min(apart, steps - i));
  }
  return shown;
}

double ShownTaps(std::span<const WindowDimension> windows) {
  double shown = 1;
  for (const WindowDimension& window : windows) shown *= ShownTaps(window);
  return shown;
}

}  // namespace podsim
