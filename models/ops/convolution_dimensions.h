// Which dimensions of a convolution's operands and result are what, and how its
// window moves.
#ifndef PODSIM_MODELS_OPS_CONVOLUTION_DIMENSIONS_H_
#define PODSIM_MODELS_OPS_CONVOLUTION_DIMENSIONS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/ops/op.h"
#include "models/ops/window_dimension.h"

namespace podsim {

// Of the input [batch, feature, spatial...], in any order, and of the result.
// Of the kernel `batch` is its output feature dimension.
struct ConvolutionRole {
  std::int64_t batch = 0;
  std::int64_t feature = 0;
  Dims spatial;

  Dims All() const {
    Dims all = {batch, feature};
    all.insert(all.end(), spatial.begin(), spatial.end());
    return all;
  }
};

struct ConvolutionDimensions {
  ConvolutionRole input;
  ConvolutionRole kernel;
  ConvolutionRole output;
  std::int64_t feature_groups = 1;
  std::int64_t batch_groups = 1;

  // At most one of the two is more than 1.
  std::int64_t groups() const { return std::max(feature_groups, batch_groups); }
};

// `name`: what the lists begin with ("input").
inline ConvolutionRole ConvolutionRoleOf(const OpAttributes& attributes,
                                         const std::string& name,
                                         const char* batch,
                                         const char* feature) {
  const DimsView spatial = attributes.List(name + "_spatial_dimensions");
  return {attributes.Int(name + batch, -1),
          attributes.Int(name + feature, -1),
          {spatial.begin(), spatial.end()}};
}

inline ConvolutionDimensions ConvolutionDimensionsOf(
    const OpAttributes& attributes) {
  return {ConvolutionRoleOf(attributes, "input", "_batch_dimension",
                            "_feature_dimension"),
          ConvolutionRoleOf(attributes, "kernel", "_output_feature_dimension",
                            "_input_feature_dimension"),
          ConvolutionRoleOf(attributes, "output", "_batch_dimension",
                            "_feature_dimension"),
          attributes.Int("feature_group_count", 1),
          attributes.Int("batch_group_count", 1)};
}

// Per spatial dimension. `input`, `kernel`: sizes.
inline std::vector<WindowDimension> ConvolutionWindows(
    const OpAttributes& attributes, const ConvolutionDimensions& dims,
    DimsView input, DimsView kernel) {
  std::vector<WindowDimension> windows;
  for (std::size_t i = 0; i < dims.input.spatial.size(); ++i)
    windows.push_back(
        {.base = input[static_cast<std::size_t>(dims.input.spatial[i])],
         .base_dilation = EntryOr(attributes.List("lhs_dilation"), i, 1),
         .low = EntryOr(attributes.List("padding_low"), i, 0),
         .high = EntryOr(attributes.List("padding_high"), i, 0),
         .taps = kernel[static_cast<std::size_t>(dims.kernel.spatial[i])],
         .dilation = EntryOr(attributes.List("rhs_dilation"), i, 1),
         .stride = EntryOr(attributes.List("window_strides"), i, 1)});
  return windows;
}

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_CONVOLUTION_DIMENSIONS_H_
