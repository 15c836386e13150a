// A window that moves along one dimension, as convolutions and reduce_window
// have it: StableHLO's strides, dilations and padding.
#ifndef PODSIM_MODELS_OPS_WINDOW_DIMENSION_H_
#define PODSIM_MODELS_OPS_WINDOW_DIMENSION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/ops/index_loops.h"
#include "models/ops/shape.h"

namespace podsim {

// What `size` elements span with `dilation` - 1 holes between neighbours.
inline std::int64_t DilatedSize(std::int64_t size, std::int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

struct WindowDimension {
  std::int64_t base = 1;  // elements of the operand
  std::int64_t base_dilation = 1;
  std::int64_t low = 0;  // padding, cut off where negative
  std::int64_t high = 0;
  std::int64_t taps = 1;  // elements of the window
  std::int64_t dilation = 1;
  std::int64_t stride = 1;

  bool is_valid() const {
    return base_dilation >= 1 && taps >= 1 && dilation >= 1 && stride >= 1;
  }
  // Neither the dilated operand nor the dilated window is longer than a shape
  // may be. REQUIRES: is_valid.
  bool is_within_bounds() const {
    return base_dilation <=
               kMostShapeElements / std::max<std::int64_t>(base, 1) &&
           dilation <= kMostShapeElements / taps;
  }
  // It does nothing.
  bool is_trivial() const {
    return taps == 1 && stride == 1 && base_dilation == 1 && low == 0 &&
           high == 0;
  }

  // Places that the window takes.
  std::int64_t Outputs() const {
    const std::int64_t room = DilatedSize(base, base_dilation) + low + high -
                              DilatedSize(taps, dilation);
    return room < 0 ? 0 : room / stride + 1;
  }

  // The operand's element under `tap` at the window's place `output`; -1 where
  // that is padding or a hole.
  std::int64_t At(std::int64_t output, std::int64_t tap) const {
    const std::int64_t place = output * stride + tap * dilation - low;
    if (place < 0 || place % base_dilation != 0) return -1;
    const std::int64_t element = place / base_dilation;
    return element < base ? element : -1;
  }

  // Padding with which the same window, moved backward over what it made with
  // base_dilation `stride` and stride `base_dilation`, comes to each element of
  // the operand (jax/_src/lax/convolution.py, _conv_general_vjp_lhs_padding).
  std::int64_t BackwardLow() const {
    return DilatedSize(taps, dilation) - low - 1;
  }
  std::int64_t BackwardHigh() const {
    return DilatedSize(base, base_dilation) + DilatedSize(taps, dilation) - 1 -
           DilatedSize(Outputs(), stride) - BackwardLow();
  }
};

// Number `i` of a list that may be absent.
inline std::int64_t EntryOr(DimsView list, std::size_t i,
                            std::int64_t otherwise) {
  return i < list.size() ? list[i] : otherwise;
}

inline Dims OutputsOf(const std::vector<WindowDimension>& windows) {
  Dims outputs;
  for (const WindowDimension& window : windows)
    outputs.push_back(window.Outputs());
  return outputs;
}

inline Dims TapsOf(const std::vector<WindowDimension>& windows) {
  Dims taps;
  for (const WindowDimension& window : windows) taps.push_back(window.taps);
  return taps;
}

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_WINDOW_DIMENSION_H_
