// The gradients of a convolution, which are convolutions.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "models/ops/convolution_parts.h"
#include "models/ops/shape_rules.h"

namespace podsim {
namespace {

void SetRole(const std::string& name, const ConvolutionRole& role,
             const char* batch, const char* feature, OpAttributes& attributes) {
  attributes.lists[name + batch] = {role.batch};
  attributes.lists[name + feature] = {role.feature};
  attributes.lists[name + "_spatial_dimensions"] = role.spatial;
}

ConvolutionRole Swapped(const ConvolutionRole& role) {
  return {role.feature, role.batch, role.spatial};
}

Value Reshaped(GradientBuilder& builder, Value value, Shape shape) {
  OpAttributes attributes;
  attributes.shape = std::move(shape);
  return builder.Apply(OpCode::kReshape, {value}, "grad",
                       std::move(attributes));
}

// The outermost `groups` of dimension `from` become those of dimension `to`.
Value MoveGroups(GradientBuilder& builder, Value value, std::int64_t from,
                 std::int64_t to, std::int64_t groups) {
  const Shape shape = builder.type(value).shape;
  const auto cut = static_cast<std::size_t>(from);
  Shape parts = shape;
  parts.dims[cut] /= groups;
  Shape result = parts;
  result.dims[static_cast<std::size_t>(to)] *= groups;
  parts.dims.insert(parts.dims.begin() + from, groups);
  if (parts.batch_axis >= from) ++parts.batch_axis;
  // The dimensions without the groups', which go in front of `to`.
  Dims permutation = OthersOf(parts.rank(), Dims{from});
  permutation.insert(permutation.begin() + to, from);
  OpAttributes transpose;
  transpose.lists["permutation"] = permutation;
  value = Reshaped(builder, value, std::move(parts));
  value =
      builder.Apply(OpCode("transpose"), {value}, "grad", std::move(transpose));
  return Reshaped(builder, value, std::move(result));
}

// dy convolved with the kernel backward (jax/_src/lax/convolution.py,
// _conv_general_dilated_transpose_lhs).
Value InputGradient(GradientBuilder& builder, Value dy, Value kernel,
                    const ConvolutionDimensions& dims,
                    const std::vector<WindowDimension>& windows) {
  const std::int64_t groups = dims.groups();
  if (groups > 1)
    kernel = MoveGroups(builder, kernel, dims.kernel.batch, dims.kernel.feature,
                        groups);
  OpAttributes reverse;
  reverse.lists["dimensions"] = dims.kernel.spatial;
  kernel =
      builder.Apply(OpCode("reverse"), {kernel}, "grad", std::move(reverse));
  std::vector<WindowDimension> backward = windows;
  for (WindowDimension& window : backward) {
    const std::int64_t low = window.BackwardLow();
    window.high = window.BackwardHigh();
    window.low = low;
    std::swap(window.stride, window.base_dilation);
  }
  const ConvolutionDimensions of_backward{dims.output, Swapped(dims.kernel),
                                          dims.input, groups, 1};
  const Value dx =
      builder.Apply(OpCode("convolution"), {dy, kernel}, "grad_input",
                    ConvolutionAttributes(of_backward, backward));
  if (dims.batch_groups == 1) return dx;
  return MoveGroups(builder, dx, dims.input.feature, dims.input.batch,
                    dims.batch_groups);
}

// The input convolved with dy, summed over the batch (there,
// _conv_general_dilated_transpose_rhs).
Value KernelGradient(GradientBuilder& builder, Value input, Value dy,
                     const ConvolutionDimensions& dims,
                     const std::vector<WindowDimension>& windows) {
  std::vector<WindowDimension> over = windows;
  for (WindowDimension& window : over) {
    window.high = DilatedSize(window.Outputs(), window.stride) -
                  DilatedSize(window.base, window.base_dilation) +
                  DilatedSize(window.taps, window.dilation) - window.low - 1;
    std::swap(window.stride, window.dilation);
  }
  const ConvolutionDimensions of_sum{Swapped(dims.input), Swapped(dims.output),
                                     Swapped(dims.kernel), dims.batch_groups,
                                     dims.feature_groups};
  return builder.Apply(OpCode("convolution"), {input, dy}, "grad_kernel",
                       ConvolutionAttributes(of_sum, over));
}

}  // namespace

OpAttributes ConvolutionAttributes(
    const ConvolutionDimensions& dims,
    const std::vector<WindowDimension>& windows) {
  OpAttributes attributes;
  SetRole("input", dims.input, "_batch_dimension", "_feature_dimension",
          attributes);
  SetRole("kernel", dims.kernel, "_output_feature_dimension",
          "_input_feature_dimension", attributes);
  SetRole("output", dims.output, "_batch_dimension", "_feature_dimension",
          attributes);
  attributes.lists["feature_group_count"] = {dims.feature_groups};
  attributes.lists["batch_group_count"] = {dims.batch_groups};
  for (const WindowDimension& window : windows) {
    attributes.lists["window_strides"].push_back(window.stride);
    attributes.lists["padding_low"].push_back(window.low);
    attributes.lists["padding_high"].push_back(window.high);
    attributes.lists["lhs_dilation"].push_back(window.base_dilation);
    attributes.lists["rhs_dilation"].push_back(window.dilation);
  }
  return attributes;
}

// The kernel's first, as it is the weight, so that a bucket is complete early.
InputGradients ConvolutionGradient(GradientBuilder& builder, const OpUse& use,
                                   std::span<const Value> dy) {
  const Value input = use.inputs[0];
  const Value kernel = use.inputs[1];
  const ConvolutionDimensions dims = ConvolutionDimensionsOf(use.attributes);
  const Shape input_shape = builder.type(input).shape;
  const Shape kernel_shape = builder.type(kernel).shape;
  if (dims.groups() > 1 && kernel_shape.batched())
    return absl::UnimplementedError(
        "a convolution in groups that sums over the batch has no gradient");
  const std::vector<WindowDimension> windows = ConvolutionWindows(
      use.attributes, dims, input_shape.dims, kernel_shape.dims);
  const Value to_kernel = KernelGradient(builder, input, dy[0], dims, windows);
  const Value to_input = InputGradient(builder, dy[0], kernel, dims, windows);
  return std::vector{to_input, to_kernel};
}

}  // namespace podsim
