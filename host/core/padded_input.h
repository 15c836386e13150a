// A convolution's input with its padding and the holes between its elements as
// zeros in memory, so that no window looks beyond it.
#ifndef PODSIM_HOST_CORE_PADDED_INPUT_H_
#define PODSIM_HOST_CORE_PADDED_INPUT_H_

#include <cstddef>
#include <span>

#include "host/core/array.h"
#include "models/ops/index_loops.h"
#include "models/ops/window_dimension.h"

namespace podsim {

// Dimension spatial[i] becomes as long as windows[i] reaches, in a copy that
// lies in ThreadFloats(slot); the input itself where nothing is added or cut
// off. float32.
Array WithPadding(const Array& input, DimsView spatial,
                  std::span<const WindowDimension> windows,
                  ParallelFor& parallel, std::size_t slot);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_PADDED_INPUT_H_
