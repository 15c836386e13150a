#include "host/core/moving_window.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace podsim {
namespace {

Dims SizesOf(const std::vector<WindowAxis>& axes) {
  Dims sizes;
  for (const WindowAxis& axis : axes) sizes.push_back(axis.size);
  return sizes;
}

// Index `i` of all in row-major order.
Dims IndexAt(const Dims& sizes, std::int64_t i) {
  Dims index(sizes.size());
  for (std::size_t dim = sizes.size(); dim-- > 0; i /= sizes[dim])
    index[dim] = i % sizes[dim];
  return index;
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

void FillZeros(std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = 0;
}

std::int64_t DivideUp(std::int64_t a, std::int64_t b) {
  return b == 1 ? a : (a + b - 1) / b;
}

}  // namespace

MovingWindow::MovingWindow(std::vector<WindowDimension> windows,
                           std::vector<WindowAxis> lines,
                           std::vector<WindowAxis> k)
    : windows_(std::move(windows)),
      lines_(std::move(lines)),
      k_(std::move(k)),
      line_run_(RunOf(
          lines_, [](const WindowDimension& window) { return window.stride; })),
      k_run_(RunOf(
          k_, [](const WindowDimension& window) { return window.dilation; })) {}

std::int64_t MovingWindow::CountOf(const std::vector<WindowAxis>& axes) {
  return ProductOf(SizesOf(axes));
}

template <typename Move>
MovingWindow::Run MovingWindow::RunOf(const std::vector<WindowAxis>& axes,
                                      const Move& move) const {
  Run run;
  for (run.axis = axes.size(); run.axis > 0;) {
    const WindowAxis& axis = axes[run.axis - 1];
    Run grown = {.axis = run.axis - 1,
                 .size = axis.size,
                 .inner = run.axis == axes.size() ? 1 : run.elements(),
                 .stride = axis.stride};
    if (axis.window >= 0) {
      const auto& window = windows_[static_cast<std::size_t>(axis.window)];
      grown.move = move(window);
      grown.holes = window.base_dilation;
    }
    const bool fits = grown.apart() == grown.inner && grown.holes == 1;
    if (run.axis < axes.size() && !fits) break;
    run = grown;
    if (axis.window >= 0 || !fits) break;
  }
  return run;
}

MovingWindow::Reach MovingWindow::ReachOf(const Run& run, int window,
                                          std::int64_t first) const {
  if (window < 0) return {0, run.size, 0};
  const std::int64_t base = windows_[static_cast<std::size_t>(window)].base;
  const auto steps_to = [&](std::int64_t place) {
    return place <= first
               ? 0
               : std::min(DivideUp(place - first, run.move), run.size);
  };
  return {steps_to(0), steps_to(DilatedSize(base, run.holes)), first};
}

void MovingWindow::CopyRun(const Run& run, const float* from,
                           const Reach& reach, std::int64_t begin,
                           std::int64_t count, float* to) {
  const std::int64_t last = begin + count;
  const auto clamped = [&](std::int64_t step) {
    return std::clamp(step * run.inner, begin, last);
  };
  const std::int64_t shown = clamped(reach.begin);
  const std::int64_t end = clamped(reach.end);
  FillZeros(shown - begin, to);
  to -= begin;
  if (run.holes != 1) {
    for (std::int64_t i = shown; i < end; ++i) {
      const std::int64_t place = reach.first + i * run.move;
      to[i] = place % run.holes == 0 ? from[place / run.holes * run.stride] : 0;
    }
  } else if (run.apart() == run.inner) {
    CopySideBySide(from + reach.first * run.stride + shown, end - shown,
                   to + shown);
  } else {
    for (std::int64_t i = shown; i < end; ++i)
      to[i] = from[reach.first * run.stride + i * run.apart()];
  }
  FillZeros(last - end, to + end);
}

void MovingWindow::CopyTaps(const float* from, const Dims& at,
                            const Reach& reach, std::size_t axis,
                            std::int64_t block, float* to) const {
  if (axis == k_run_.axis) return CopyRun(k_run_, from, reach, 0, block, to);
  const auto [size, stride, window] = k_[axis];
  block /= size;
  for (std::int64_t i = 0; i < size; ++i, to += block) {
    const auto w = static_cast<std::size_t>(window);
    const std::int64_t place = window < 0 ? i : windows_[w].At(at[w], i);
    if (place < 0) {
      std::fill_n(to, block, 0.0F);
    } else {
      CopyTaps(from + place * stride, at, reach, axis + 1, block, to);
    }
  }
}

void MovingWindow::CopyLines(const float* input, std::int64_t begin,
                             std::int64_t end, float* to) const {
  const Dims sizes = SizesOf(lines_);
  const std::int64_t block = k();
  const int moved = k_[k_run_.axis].window;
  Dims index = IndexAt(sizes, begin);
  Dims at(windows_.size());
  for (std::int64_t line = begin; line < end; ++line, to += block) {
    const float* from = input;
    for (std::size_t axis = 0; axis < lines_.size(); ++axis) {
      const WindowAxis& along = lines_[axis];
      if (along.window < 0) {
        from += index[axis] * along.stride;
      } else {
        at[static_cast<std::size_t>(along.window)] = index[axis];
      }
    }
    std::int64_t first = 0;
    if (moved >= 0) {
      const auto w = static_cast<std::size_t>(moved);
      first = at[w] * windows_[w].stride - windows_[w].low;
    }
    CopyTaps(from, at, ReachOf(k_run_, moved, first), 0, block, to);
    NextIndex(sizes, index);
  }
}

const float* MovingWindow::RunAt(const float* from, const Dims& index,
                                 const Dims& taps) const {
  for (std::size_t axis = 0; axis < line_run_.axis; ++axis) {
    const WindowAxis& along = lines_[axis];
    std::int64_t place = index[axis];
    if (along.window >= 0) {
      const auto w = static_cast<std::size_t>(along.window);
      place = windows_[w].At(place, taps[w]);
      if (place < 0) return nullptr;
    }
    from += place * along.stride;
  }
  return from;
}

void MovingWindow::CopyColumns(const float* input, std::int64_t k,
                               std::int64_t depth, std::int64_t begin,
                               std::int64_t end, float* to) const {
  const Dims k_sizes = SizesOf(k_);
  Dims sizes = SizesOf(lines_);
  sizes.resize(line_run_.axis);
  const std::int64_t elements = line_run_.elements();
  const int moved = lines_[line_run_.axis].window;
  const Dims first_index = IndexAt(sizes, begin / elements);
  Dims k_index = IndexAt(k_sizes, k);
  Dims taps(windows_.size());
  Dims index;
  for (std::int64_t i = 0; i < depth; ++i) {
    const float* shown = input;
    for (std::size_t axis = 0; axis < k_.size(); ++axis) {
      if (k_[axis].window < 0) {
        shown += k_index[axis] * k_[axis].stride;
      } else {
        taps[static_cast<std::size_t>(k_[axis].window)] = k_index[axis];
      }
    }
    std::int64_t first = 0;
    if (moved >= 0) {
      const auto w = static_cast<std::size_t>(moved);
      first = taps[w] * windows_[w].dilation - windows_[w].low;
    }
    const Reach reach = ReachOf(line_run_, moved, first);
    index = first_index;
    std::int64_t place = begin % elements;
    for (std::int64_t line = begin; line < end; place = 0) {
      const std::int64_t count = std::min(elements - place, end - line);
      const float* from = RunAt(shown, index, taps);
      if (from == nullptr) {
        FillZeros(count, to);
      } else {
        CopyRun(line_run_, from, reach, place, count, to);
      }
      to += count;
      line += count;
      NextIndex(sizes, index);
    }
    NextIndex(k_sizes, k_index);
  }
}

}  // namespace podsim
