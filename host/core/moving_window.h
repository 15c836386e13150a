// A convolution's input as the left side of a product: a line per place of the
// window, K all that the window shows there, copied a panel at a time.
#ifndef PODSIM_HOST_CORE_MOVING_WINDOW_H_
#define PODSIM_HOST_CORE_MOVING_WINDOW_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/ops/window_dimension.h"

namespace podsim {

// A dimension that lines or K run over.
struct WindowAxis {
  std::int64_t size = 1;
  std::int64_t stride = 1;  // of the input
  int window = -1;          // number of the window that it moves or taps
};

class MovingWindow {
 public:
  // Outermost first.
  MovingWindow(std::vector<WindowDimension> windows,
               std::vector<WindowAxis> lines, std::vector<WindowAxis> k);

  std::int64_t lines() const { return CountOf(lines_); }
  std::int64_t k() const { return CountOf(k_); }

  // Lines [begin, end), all of K: to[line][k].
  void CopyLines(const float* input, std::int64_t begin, std::int64_t end,
                 float* to) const;
  // K [k, k + depth) of lines [begin, end): to[k][line].
  void CopyColumns(const float* input, std::int64_t k, std::int64_t depth,
                   std::int64_t begin, std::int64_t end, float* to) const;

  // fn(element of K, offset in the input) for all that the window shows at a
  // line, padding left out, in the order of K.
  template <typename Fn>
  void ForShown(std::int64_t line, const Fn& fn) const {
    Dims at(windows_.size());
    std::int64_t offset = 0;
    for (std::size_t axis = lines_.size(); axis-- > 0;) {
      const auto [size, stride, window] = lines_[axis];
      if (window < 0) {
        offset += line % size * stride;
      } else {
        at[static_cast<std::size_t>(window)] = line % size;
      }
      line /= size;
    }
    ForTaps(at, 0, 0, offset, fn);
  }

 private:
  template <typename Fn>
  void ForTaps(const Dims& at, std::size_t axis, std::int64_t first,
               std::int64_t offset, const Fn& fn) const {
    if (axis == k_.size()) return fn(first, offset);
    const auto [size, stride, window] = k_[axis];
    const auto w = static_cast<std::size_t>(window);
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t place = window < 0 ? i : windows_[w].At(at[w], i);
      if (place >= 0)
        ForTaps(at, axis + 1, first * size + i, offset + place * stride, fn);
    }
  }
  static std::int64_t CountOf(const std::vector<WindowAxis>& axes);

  // The innermost axes, from `axis` on, as one: `size` steps along the
  // outermost of them, which alone may be a window's, and behind each the
  // `inner` elements of the others, which lie side by side in the input.
  struct Run {
    std::size_t axis = 0;
    std::int64_t size = 1;
    std::int64_t inner = 1;
    std::int64_t move = 1;    // places of the window from a step to the next
    std::int64_t stride = 1;  // of the input, from a place to the next
    std::int64_t holes = 1;   // the window's base dilation
    std::int64_t apart() const { return move * stride; }
    std::int64_t elements() const { return size * inner; }
  };
  // `move`: places from a step along a window's axis to the next.
  template <typename Move>
  Run RunOf(const std::vector<WindowAxis>& axes, const Move& move) const;

  // The steps of a run that lie over the input and not over padding, and the
  // place of its step 0.
  struct Reach {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t first = 0;
  };
  Reach ReachOf(const Run& run, int window, std::int64_t first) const;
  // Elements [begin, begin + count) of a run.
  static void CopyRun(const Run& run, const float* from, const Reach& reach,
                      std::int64_t begin, std::int64_t count, float* to);
  // Where a run of the lines starts, at place 0 of its window; null over
  // padding.
  const float* RunAt(const float* from, const Dims& index,
                     const Dims& taps) const;
  // What is under the window at places `at` (per window) from axis `axis` of K
  // on; `block` elements.
  void CopyTaps(const float* from, const Dims& at, const Reach& reach,
                std::size_t axis, std::int64_t block, float* to) const;

  std::vector<WindowDimension> windows_;
  std::vector<WindowAxis> lines_;
  std::vector<WindowAxis> k_;
  Run line_run_;
  Run k_run_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_MOVING_WINDOW_H_
