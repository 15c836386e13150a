#include "host/core/padded_input.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "host/core/boxes.h"
#include "host/core/matrix_side.h"

namespace podsim {
namespace {

// Which elements along a dimension are copied, and where to.
struct Placed {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t to = 0;
};

Placed PlacedIn(const WindowDimension& window, std::int64_t room) {
  const std::int64_t step = window.base_dilation;
  Placed placed;
  if (window.low < 0) placed.first = (-window.low + step - 1) / step;
  placed.to = window.low + placed.first * step;
  const std::int64_t fit =
      room <= placed.to ? 0 : (room - 1 - placed.to) / step + 1;
  placed.count = std::clamp<std::int64_t>(window.base - placed.first, 0, fit);
  return placed;
}

}  // namespace

Array WithPadding(const Array& input, DimsView spatial,
                  std::span<const WindowDimension> windows,
                  ParallelFor& parallel, std::size_t slot) {
  Array padded = input;
  for (std::size_t i = 0; i < windows.size(); ++i)
    padded.dims[static_cast<std::size_t>(spatial[i])] = std::max<std::int64_t>(
        DilatedSize(windows[i].base, windows[i].base_dilation) +
            windows[i].low + windows[i].high,
        0);
  Box box{input.dims, StridesOf(input.dims), StridesOf(padded.dims)};
  std::int64_t from = 0;
  std::int64_t to = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto dim = static_cast<std::size_t>(spatial[i]);
    const Placed placed = PlacedIn(windows[i], padded.dims[dim]);
    from += placed.first * box.from[dim];
    to += placed.to * box.to[dim];
    box.sizes[dim] = placed.count;
    box.to[dim] *= windows[i].base_dilation;
  }
  if (padded.dims == input.dims && box.sizes == input.dims) return input;
  float* zeros = ThreadFloats(slot, padded.elements());
  std::fill_n(zeros, padded.elements(), 0.0F);
  padded.data = reinterpret_cast<std::byte*>(zeros);
  if (ProductOf(box.sizes) > 0)
    CopyBox(Simplified(box), padded.element_bytes,
            input.data + from * input.element_bytes,
            padded.data + to * padded.element_bytes, parallel);
  return padded;
}

}  // namespace podsim
