// Windows of all kinds over inputs of all layouts, against element by element.
#include "host/core/moving_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace podsim {
namespace {

struct Drawn {
  std::vector<WindowDimension> windows;
  std::vector<WindowAxis> lines;
  std::vector<WindowAxis> k;
  std::vector<float> input;
};

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  // An input with a batch, a feature and up to three dimensions under the
  // window, in any order.
  Drawn Next() {
    Drawn drawn;
    const int spatial = Of(0, 3);
    for (int i = 0; i < spatial; ++i) drawn.windows.push_back(Window());
    const std::int64_t batch = Of(1, 3);
    const std::int64_t features = Of(1, 4);
    std::vector<std::int64_t> sizes = {batch, features};
    for (const WindowDimension& window : drawn.windows)
      sizes.push_back(window.base);
    const std::vector<std::int64_t> strides = Strides(sizes);
    drawn.lines.push_back({batch, strides[0], -1});
    drawn.k.push_back({features, strides[1], -1});
    std::int64_t elements = batch * features;
    for (int i = 0; i < spatial; ++i) {
      const WindowDimension& window = drawn.windows[i];
      elements *= window.base;
      drawn.lines.push_back({window.Outputs(), strides[2 + i], i});
      drawn.k.push_back({window.taps, strides[2 + i], i});
    }
    Order(drawn.lines);
    Order(drawn.k);
    drawn.input.resize(elements);
    std::iota(drawn.input.begin(), drawn.input.end(), 1.0F);
    return drawn;
  }

  int Of(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }

 private:
  WindowDimension Window() {
    for (;;) {
      const bool plain = Of(0, 1) == 0;
      const WindowDimension window = {.base = Of(1, 9),
                                      .base_dilation = plain ? 1 : Of(1, 3),
                                      .low = Of(-1, 3),
                                      .high = Of(-1, 3),
                                      .taps = Of(1, 4),
                                      .dilation = plain ? 1 : Of(1, 3),
                                      .stride = plain ? 1 : Of(1, 3)};
      if (window.Outputs() > 0) return window;
    }
  }
  // Of a row-major array that has the dimensions in some order.
  std::vector<std::int64_t> Strides(const std::vector<std::int64_t>& sizes) {
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), 0U);
    if (Of(0, 2) > 0) std::shuffle(order.begin(), order.end(), random_);
    std::vector<std::int64_t> strides(sizes.size());
    std::int64_t stride = 1;
    for (const std::size_t dim : order) {
      strides[dim] = stride;
      stride *= sizes[dim];
    }
    return strides;
  }
  // By strides, as the kernels have it, or any.
  void Order(std::vector<WindowAxis>& axes) {
    std::shuffle(axes.begin(), axes.end(), random_);
    if (Of(0, 3) == 0) return;
    std::stable_sort(axes.begin(), axes.end(),
                     [](const WindowAxis& a, const WindowAxis& b) {
                       return a.stride > b.stride;
                     });
  }

  std::mt19937 random_;
};

// The index along each axis of element `i` of all.
std::vector<std::int64_t> IndexOf(const std::vector<WindowAxis>& axes,
                                  std::int64_t i) {
  std::vector<std::int64_t> index(axes.size());
  for (std::size_t axis = axes.size(); axis-- > 0; i /= axes[axis].size)
    index[axis] = i % axes[axis].size;
  return index;
}

// What the window shows of element `k` at place `line`: 0 over padding.
float Known(const Drawn& drawn, std::int64_t line, std::int64_t k) {
  const std::vector<std::int64_t> at = IndexOf(drawn.lines, line);
  const std::vector<std::int64_t> tap = IndexOf(drawn.k, k);
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < drawn.lines.size(); ++i) {
    const WindowAxis& axis = drawn.lines[i];
    if (axis.window < 0) {
      offset += at[i] * axis.stride;
      continue;
    }
    for (std::size_t j = 0; j < drawn.k.size(); ++j) {
      if (drawn.k[j].window != axis.window) continue;
      const std::int64_t place = drawn.windows[axis.window].At(at[i], tap[j]);
      if (place < 0) return 0;
      offset += place * axis.stride;
    }
  }
  for (std::size_t j = 0; j < drawn.k.size(); ++j)
    if (drawn.k[j].window < 0) offset += tap[j] * drawn.k[j].stride;
  return drawn.input[offset];
}

constexpr float kUntouched = -1;

// Part of the matrix in both layouts, and no element beside it.
TEST(MovingWindow, ShowsWhatElementByElementIsThere) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Draw draw(seed);
    const Drawn drawn = draw.Next();
    const MovingWindow window(drawn.windows, drawn.lines, drawn.k);
    const auto m = static_cast<int>(window.lines());
    const auto depth = static_cast<int>(window.k());
    const int begin = draw.Of(0, m - 1);
    const int end = draw.Of(begin + 1, m);
    std::vector<float> lines((end - begin) * depth + 1, kUntouched);
    window.CopyLines(drawn.input.data(), begin, end, lines.data());
    for (int line = begin; line < end; ++line)
      for (int k = 0; k < depth; ++k)
        ASSERT_EQ(lines[(line - begin) * depth + k], Known(drawn, line, k))
            << "line " << line << ", k " << k;
    EXPECT_EQ(lines.back(), kUntouched);

    const int first = draw.Of(0, depth - 1);
    const int count = draw.Of(1, depth - first);
    std::vector<float> columns(count * (end - begin) + 1, kUntouched);
    window.CopyColumns(drawn.input.data(), first, count, begin, end,
                       columns.data());
    for (int k = 0; k < count; ++k)
      for (int line = begin; line < end; ++line)
        ASSERT_EQ(columns[k * (end - begin) + line - begin],
                  Known(drawn, line, first + k))
            << "line " << line << ", k " << first + k;
    EXPECT_EQ(columns.back(), kUntouched);
  }
}

}  // namespace
}  // namespace podsim
