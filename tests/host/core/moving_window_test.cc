// Windows of all kinds over inputs of all layouts, with their padding, against
// element by element.
#include "host/core/moving_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "host/core/matrix_side.h"
#include "host/core/padded_input.h"

namespace podsim {
namespace {

// A dimension that lines or K run over: the window's that it moves or taps, or
// none.
struct Axis {
  std::size_t dim = 0;  // of the input
  std::int64_t size = 1;
  int window = -1;
};

struct Drawn {
  std::vector<WindowDimension> windows;
  Dims sizes;
  Dims spatial;
  std::vector<Axis> lines;
  std::vector<Axis> k;
  std::vector<float> input;
};

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  // An input with a batch, a feature and up to three dimensions under the
  // window, in any order.
  Drawn Next() {
    Drawn drawn;
    std::vector<std::size_t> dims(2 + Of(0, 3));
    std::iota(dims.begin(), dims.end(), 0U);
    if (Of(0, 2) > 0) std::shuffle(dims.begin(), dims.end(), random_);
    drawn.sizes.resize(dims.size());
    drawn.lines.push_back({dims[0], drawn.sizes[dims[0]] = Of(1, 3)});
    drawn.k.push_back({dims[1], drawn.sizes[dims[1]] = Of(1, 4)});
    for (std::size_t i = 2; i < dims.size(); ++i) {
      const WindowDimension window = Window();
      const int w = static_cast<int>(drawn.windows.size());
      drawn.windows.push_back(window);
      drawn.sizes[dims[i]] = window.base;
      drawn.spatial.push_back(static_cast<std::int64_t>(dims[i]));
      drawn.lines.push_back({dims[i], window.Outputs(), w});
      drawn.k.push_back({dims[i], window.taps, w});
    }
    Order(drawn.lines);
    Order(drawn.k);
    drawn.input.resize(ProductOf(drawn.sizes));
    std::iota(drawn.input.begin(), drawn.input.end(), 1.0F);
    return drawn;
  }

  int Of(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<int>(static_cast<int>(least),
                                              static_cast<int>(most))(random_);
  }

 private:
  WindowDimension Window() {
    for (;;) {
      const bool plain = Of(0, 1) == 0;
      const WindowDimension window = {.base = Of(1, 9),
                                      .base_dilation = plain ? 1 : Of(1, 3),
                                      .low = Of(-2, 3),
                                      .high = Of(-2, 3),
                                      .taps = Of(1, 4),
                                      .dilation = plain ? 1 : Of(1, 3),
                                      .stride = plain ? 1 : Of(1, 3)};
      if (window.Outputs() > 0) return window;
    }
  }
  // As they lie in memory, or any.
  void Order(std::vector<Axis>& axes) {
    std::shuffle(axes.begin(), axes.end(), random_);
    if (Of(0, 3) == 0) return;
    std::sort(axes.begin(), axes.end(),
              [](const Axis& a, const Axis& b) { return a.dim < b.dim; });
  }

  std::mt19937 random_;
};

// The index along each axis of element `i` of all.
Dims IndexOf(const std::vector<Axis>& axes, std::int64_t i) {
  Dims index(axes.size());
  for (std::size_t axis = axes.size(); axis-- > 0; i /= axes[axis].size)
    index[axis] = i % axes[axis].size;
  return index;
}

// What the window shows of element `k` at place `line`: 0 over padding.
float Known(const Drawn& drawn, std::int64_t line, std::int64_t k) {
  const Dims strides = StridesOf(drawn.sizes);
  const Dims at = IndexOf(drawn.lines, line);
  const Dims tap = IndexOf(drawn.k, k);
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < at.size(); ++i)
    if (drawn.lines[i].window < 0)
      offset += at[i] * strides[drawn.lines[i].dim];
  for (std::size_t j = 0; j < tap.size(); ++j) {
    const Axis& axis = drawn.k[j];
    std::int64_t place = tap[j];
    for (std::size_t i = 0; i < at.size() && axis.window >= 0; ++i)
      if (drawn.lines[i].window == axis.window)
        place = drawn.windows[axis.window].At(at[i], tap[j]);
    if (place < 0) return 0;
    offset += place * strides[axis.dim];
  }
  return drawn.input[offset];
}

std::vector<WindowAxis> Over(const std::vector<Axis>& axes, const Dims& strides,
                             const std::vector<WindowDimension>& windows,
                             std::int64_t WindowDimension::*apart) {
  std::vector<WindowAxis> result;
  for (const Axis& axis : axes)
    result.push_back(
        {axis.size, strides[axis.dim] *
                        (axis.window < 0 ? 1 : windows[axis.window].*apart)});
  return result;
}

constexpr float kNotWritten = -1;

// Part of the matrix in both layouts, and no element beside it.
TEST(MovingWindow, ShowsWhatElementByElementIsThere) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Draw draw(seed);
    Drawn drawn = draw.Next();
    InOrder alone;
    const Array padded =
        WithPadding({.dims = drawn.sizes,
                     .data = reinterpret_cast<std::byte*>(drawn.input.data())},
                    drawn.spatial, drawn.windows, alone, /*slot=*/0);
    const Dims strides = StridesOf(padded.dims);
    const MovingWindow window(
        Over(drawn.lines, strides, drawn.windows, &WindowDimension::stride),
        Over(drawn.k, strides, drawn.windows, &WindowDimension::dilation));
    const auto m = static_cast<int>(window.lines());
    const auto depth = static_cast<int>(window.k());
    const int begin = draw.Of(0, m - 1);
    const int end = draw.Of(begin + 1, m);
    std::vector<float> lines((end - begin) * depth + 1, kNotWritten);
    window.CopyLines(padded.as<const float>(), begin, end, lines.data());
    for (int line = begin; line < end; ++line)
      for (int k = 0; k < depth; ++k)
        ASSERT_EQ(lines[(line - begin) * depth + k], Known(drawn, line, k))
            << "line " << line << ", k " << k;
    EXPECT_EQ(lines.back(), kNotWritten);

    const int first = draw.Of(0, depth - 1);
    const int count = draw.Of(1, depth - first);
    std::vector<float> columns(count * (end - begin) + 1, kNotWritten);
    window.CopyColumns(padded.as<const float>(), first, count, begin, end,
                       columns.data());
    for (int k = 0; k < count; ++k)
      for (int line = begin; line < end; ++line)
        ASSERT_EQ(columns[k * (end - begin) + line - begin],
                  Known(drawn, line, first + k))
            << "line " << line << ", k " << first + k;
    EXPECT_EQ(columns.back(), kNotWritten);
  }
}

}  // namespace
}  // namespace podsim
