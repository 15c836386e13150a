// A convolution's input as the left side of a product: a line per place of the
// window, K all that the window shows there, copied a panel at a time.
#ifndef PODSIM_HOST_CORE_MOVING_WINDOW_H_
#define PODSIM_HOST_CORE_MOVING_WINDOW_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/ops/index_loops.h"

namespace podsim {

// A dimension that lines or K run over, and how far apart its elements lie in
// the input.
struct WindowAxis {
  std::int64_t size = 1;
  std::int64_t stride = 1;
};

// Element (line, k) lies where the line's index and that of k, each over its
// axes, say together: padding is part of the input (WithPadding).
class MovingWindow {
 public:
  // Outermost first; of each at least one.
  MovingWindow(std::vector<WindowAxis> lines, std::vector<WindowAxis> k)
      : lines_(std::move(lines)), k_(std::move(k)) {}

  std::int64_t lines() const { return CountOf(lines_); }
  std::int64_t k() const { return CountOf(k_); }

  // Lines [begin, end), all of K: to[line][k].
  void CopyLines(const float* input, std::int64_t begin, std::int64_t end,
                 float* to) const;
  // K [k, k + depth) of lines [begin, end): to[k][line].
  void CopyColumns(const float* input, std::int64_t k, std::int64_t depth,
                   std::int64_t begin, std::int64_t end, float* to) const;

  // fn(element of K, offset in the input) for all that the window shows at a
  // line, in the order of K.
  template <typename Fn>
  void ForShown(std::int64_t line, const Fn& fn) const {
    std::int64_t offset = 0;
    for (std::size_t axis = lines_.size(); axis-- > 0;) {
      offset += line % lines_[axis].size * lines_[axis].stride;
      line /= lines_[axis].size;
    }
    ForTaps(0, 0, offset, fn);
  }

 private:
  template <typename Fn>
  void ForTaps(std::size_t axis, std::int64_t first, std::int64_t offset,
               const Fn& fn) const {
    if (axis == k_.size()) return fn(first, offset);
    const auto [size, stride] = k_[axis];
    for (std::int64_t i = 0; i < size; ++i)
      ForTaps(axis + 1, first * size + i, offset + i * stride, fn);
  }
  static std::int64_t CountOf(const std::vector<WindowAxis>& axes);

  std::vector<WindowAxis> lines_;
  std::vector<WindowAxis> k_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_MOVING_WINDOW_H_
