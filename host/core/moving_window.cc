#include "host/core/moving_window.h"

#include <algorithm>
#include <cstddef>

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

// count elements, `stride` apart.
void CopyApart(const float* from, std::int64_t stride, std::int64_t count,
               float* to) {
  if (stride == 1) {
    std::copy_n(from, count, to);
  } else {
    for (std::int64_t i = 0; i < count; ++i) to[i] = from[i * stride];
  }
}

}  // namespace

std::int64_t MovingWindow::CountOf(const std::vector<WindowAxis>& axes) {
  return ProductOf(SizesOf(axes));
}

void MovingWindow::CopyTaps(const float* from, const Dims& at, std::size_t axis,
                            std::int64_t block, float* to) const {
  if (axis == k_.size()) {
    *to = *from;
    return;
  }
  const auto [size, stride, window] = k_[axis];
  if (window < 0 && axis + 1 == k_.size())
    return CopyApart(from, stride, size, to);
  block /= size;
  for (std::int64_t i = 0; i < size; ++i, to += block) {
    const auto w = static_cast<std::size_t>(window);
    const std::int64_t place = window < 0 ? i : windows_[w].At(at[w], i);
    if (place < 0) {
      std::fill_n(to, block, 0.0F);
    } else {
      CopyTaps(from + place * stride, at, axis + 1, block, to);
    }
  }
}

void MovingWindow::CopyLines(const float* input, std::int64_t begin,
                             std::int64_t end, float* to) const {
  const Dims sizes = SizesOf(lines_);
  const std::int64_t block = k();
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
    CopyTaps(from, at, 0, block, to);
    NextIndex(sizes, index);
  }
}

void MovingWindow::CopyRun(const float* from, const Dims& taps,
                           std::int64_t first, std::int64_t count,
                           float* to) const {
  const WindowAxis& along = lines_.back();
  if (along.window < 0)
    return CopyApart(from + first * along.stride, along.stride, count, to);
  const auto w = static_cast<std::size_t>(along.window);
  const WindowDimension& window = windows_[w];
  if (window.base_dilation != 1) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t place = window.At(first + i, taps[w]);
      to[i] = place < 0 ? 0.0F : from[place * along.stride];
    }
    return;
  }
  // Places, the first `before` of them padding, then `inside` of the input.
  const std::int64_t start =
      first * window.stride + taps[w] * window.dilation - window.low;
  const auto steps = [&](std::int64_t to_place) {
    return std::clamp<std::int64_t>(
        (to_place - start + window.stride - 1) / window.stride, 0, count);
  };
  const std::int64_t before = start >= 0 ? 0 : steps(0);
  const std::int64_t inside =
      start >= window.base
          ? 0
          : std::max<std::int64_t>(steps(window.base) - before, 0);
  std::fill_n(to, before, 0.0F);
  if (inside > 0)
    CopyApart(from + (start + before * window.stride) * along.stride,
              window.stride * along.stride, inside, to + before);
  std::fill_n(to + before + inside, count - before - inside, 0.0F);
}

void MovingWindow::CopyColumns(const float* input, std::int64_t k,
                               std::int64_t depth, std::int64_t begin,
                               std::int64_t end, float* to) const {
  const Dims sizes = SizesOf(lines_);
  const Dims k_sizes = SizesOf(k_);
  Dims k_index = IndexAt(k_sizes, k);
  Dims taps(windows_.size());
  for (std::int64_t i = 0; i < depth; ++i) {
    const float* shown = input;
    for (std::size_t axis = 0; axis < k_.size(); ++axis) {
      if (k_[axis].window < 0) {
        shown += k_index[axis] * k_[axis].stride;
      } else {
        taps[static_cast<std::size_t>(k_[axis].window)] = k_index[axis];
      }
    }
    Dims index = IndexAt(sizes, begin);
    for (std::int64_t line = begin; line < end;) {
      const std::int64_t first = index.back();
      const std::int64_t count = std::min(sizes.back() - first, end - line);
      const float* from = shown;
      for (std::size_t axis = 0; axis + 1 < lines_.size(); ++axis) {
        const auto w = static_cast<std::size_t>(lines_[axis].window);
        const std::int64_t place = lines_[axis].window < 0
                                       ? index[axis]
                                       : windows_[w].At(index[axis], taps[w]);
        from = place < 0 || from == nullptr
                   ? nullptr
                   : from + place * lines_[axis].stride;
      }
      if (from == nullptr) {
        std::fill_n(to, count, 0.0F);
      } else {
        CopyRun(from, taps, first, count, to);
      }
      to += count;
      line += count;
      index.back() = sizes.back() - 1;
      NextIndex(sizes, index);
    }
    NextIndex(k_sizes, k_index);
  }
}

}  // namespace podsim
