// The windows of reduce_window and select_and_scatter.
#ifndef PODSIM_MODELS_OPS_WINDOW_LIST_H_
#define PODSIM_MODELS_OPS_WINDOW_LIST_H_

#include <cstddef>
#include <vector>

#include "models/ops/op.h"
#include "models/ops/window_dimension.h"

namespace podsim {

// Per dimension of an operand of these sizes, from lists window_dimensions,
// window_strides, base_dilations, window_dilations, padding_low, padding_high.
inline std::vector<WindowDimension> WindowList(const OpAttributes& attributes,
                                               DimsView sizes) {
  std::vector<WindowDimension> windows;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    windows.push_back(
        {.base = sizes[i],
         .base_dilation = EntryOr(attributes.List("base_dilations"), i, 1),
         .low = EntryOr(attributes.List("padding_low"), i, 0),
         .high = EntryOr(attributes.List("padding_high"), i, 0),
         .taps = EntryOr(attributes.List("window_dimensions"), i, 1),
         .dilation = EntryOr(attributes.List("window_dilations"), i, 1),
         .stride = EntryOr(attributes.List("window_strides"), i, 1)});
  return windows;
}

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_WINDOW_LIST_H_
