#include "host/core/moving_window.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace podsim {
namespace {

Dims SizesOf(const std::vector<WindowAxis>& axes) {
  Dims sizes;
  for (const WindowAxis& axis : axes) sizes.push_back(axis.size);
  return sizes;
}

Dims StridesAlong(const std::vector<WindowAxis>& axes) {
  Dims strides;
  for (const WindowAxis& axis : axes) strides.push_back(axis.stride);
  return strides;
}

// Index `i` of all in row-major order.
Dims IndexAt(const Dims& sizes, std::int64_t i) {
  Dims index(sizes.size());
  for (std::size_t dim = sizes.size(); dim-- > 0; i /= sizes[dim])
    index[dim] = i % sizes[dim];
  return index;
}

// Elements that lie `apart` from one another.
struct WindowRun {
  std::int64_t offset = 0;
  std::int64_t elements = 1;
  std::int64_t apart = 1;
};

// Elements [begin, end) over these axes as few runs, in order. The innermost
// axes whose elements lie side by side make one.
std::vector<WindowRun> RunsOver(std::vector<WindowAxis> axes,
                                std::int64_t begin, std::int64_t end) {
  WindowAxis run = axes.back();
  axes.pop_back();
  while (run.stride == 1 && !axes.empty() && axes.back().stride == run.size) {
    run.size *= axes.back().size;
    axes.pop_back();
  }
  const Dims sizes = SizesOf(axes);
  const Dims strides = StridesAlong(axes);
  Dims index = IndexAt(sizes, begin / run.size);
  std::vector<WindowRun> runs;
  std::int64_t first = begin % run.size;
  for (std::int64_t at = begin; at < end; first = 0) {
    const std::int64_t count = std::min(run.size - first, end - at);
    runs.push_back(
        {OffsetOf(index, strides) + first * run.stride, count, run.stride});
    at += count;
    NextIndex(sizes, index);
  }
  return runs;
}

// Most runs are shorter than it takes to call a library's copy.
void CopySideBySide(const float* from, std::int64_t count, float* to) {
  constexpr std::int64_t kAtOnce = 4;
  constexpr std::int64_t kLong = 64;
  if (count >= kLong) {
    std::copy_n(from, count, to);
    return;
  }
  std::int64_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce)
    std::memcpy(to + i, from + i, kAtOnce * sizeof(float));
  for (; i < count; ++i) to[i] = from[i];
}

float* CopyRuns(const std::vector<WindowRun>& runs, const float* from,
                float* to) {
  for (const WindowRun& run : runs) {
    if (run.apart == 1) {
      CopySideBySide(from + run.offset, run.elements, to);
    } else {
      for (std::int64_t i = 0; i < run.elements; ++i)
        to[i] = from[run.offset + i * run.apart];
    }
    to += run.elements;
  }
  return to;
}

// `runs` at the places [begin, end) over `axes`.
void CopyAtEach(const std::vector<WindowAxis>& axes, std::int64_t begin,
                std::int64_t end, const std::vector<WindowRun>& runs,
                const float* from, float* to) {
  const Dims sizes = SizesOf(axes);
  const Dims strides = StridesAlong(axes);
  Dims index = IndexAt(sizes, begin);
  for (std::int64_t i = begin; i < end; ++i) {
    to = CopyRuns(runs, from + OffsetOf(index, strides), to);
    NextIndex(sizes, index);
  }
}

}  // namespace

std::int64_t MovingWindow::CountOf(const std::vector<WindowAxis>& axes) {
  return ProductOf(SizesOf(axes));
}

void MovingWindow::CopyLines(const float* input, std::int64_t begin,
                             std::int64_t end, float* to) const {
  CopyAtEach(lines_, begin, end, RunsOver(k_, 0, k()), input, to);
}

void MovingWindow::CopyColumns(const float* input, std::int64_t k,
                               std::int64_t depth, std::int64_t begin,
                               std::int64_t end, float* to) const {
  CopyAtEach(k_, k, k + depth, RunsOver(lines_, begin, end), input, to);
}

}  // namespace podsim
