// StableHLO's convolution, of which its own gradients are cases too.
//
// lists: window_strides, padding_low, padding_high, lhs_dilation, rhs_dilation;
// input_batch_dimension, input_feature_dimension, input_spatial_dimensions,
// kernel_input_feature_dimension, kernel_output_feature_dimension,
// kernel_spatial_dimensions, output_batch_dimension, output_feature_dimension,
// output_spatial_dimensions; feature_group_count, batch_group_count.
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/ops/convolution_dimensions.h"
#include "models/ops/families.h"
#include "models/ops/reference.h"
#include "models/ops/rules.h"
#include "models/ops/shape_rules.h"

namespace podsim {
namespace {

absl::Status CheckRole(const char* name, const ConvolutionRole& role,
                       std::size_t rank) {
  if (role.All().size() != rank)
    return Bad(absl::StrCat("the ", name, " has ", rank,
                            " dimensions, its dimension numbers name ",
                            role.All().size()));
  return CheckDimensions(absl::StrCat("the ", name, "'s dimension numbers"),
                         role.All(), static_cast<int>(rank));
}

absl::Status CheckGroups(const Shape& input, const Shape& kernel,
                         const ConvolutionDimensions& dims) {
  const std::int64_t groups = dims.groups();
  if (dims.feature_groups < 1 || dims.batch_groups < 1 ||
      (dims.feature_groups > 1 && dims.batch_groups > 1))
    return Bad(absl::StrCat("has ", dims.feature_groups, " feature groups and ",
                            dims.batch_groups,
                            " batch groups; one of them must be 1"));
  if (FactorOf(kernel, dims.kernel.batch) % groups != 0 ||
      FactorOf(input, dims.input.batch) % dims.batch_groups != 0)
    return Bad(absl::StrCat("cannot cut ", SizeText(kernel, dims.kernel.batch),
                            " output features and a batch of ",
                            SizeText(input, dims.input.batch), " into ", groups,
                            " groups"));
  const bool cuts_batch =
      (dims.batch_groups > 1 && dims.input.batch == input.batch_axis) ||
      (dims.feature_groups > 1 && dims.input.feature == input.batch_axis) ||
      (groups > 1 && dims.kernel.batch == kernel.batch_axis);
  if (cuts_batch) return Bad("the batch dimension cannot be cut into groups");
  return absl::OkStatus();
}

absl::Status CheckSizes(const Shape& input, const Shape& kernel,
                        const ConvolutionDimensions& dims) {
  if (Contains(dims.input.spatial, input.batch_axis) ||
      Contains(dims.kernel.spatial, kernel.batch_axis))
    return Bad("no window can move over the batch dimension");
  if (FactorOf(input, dims.input.feature) !=
          FactorOf(kernel, dims.kernel.feature) * dims.feature_groups ||
      (dims.input.feature == input.batch_axis) !=
          (dims.kernel.feature == kernel.batch_axis))
    return Bad(absl::StrCat("the input's ", SizeText(input, dims.input.feature),
                            " features are not the kernel's ",
                            SizeText(kernel, dims.kernel.feature), " in ",
                            dims.feature_groups,
                            dims.feature_groups == 1 ? " group" : " groups"));
  if (dims.input.batch == input.batch_axis &&
      dims.kernel.batch == kernel.batch_axis)
    return Bad("both sides bring the batch into the result (B x B)");
  return absl::OkStatus();
}

absl::Status CheckWindows(const OpAttributes& attributes, std::size_t spatial,
                          const std::vector<WindowDimension>& windows) {
  for (const char* name : {"window_strides", "padding_low", "padding_high",
                           "lhs_dilation", "rhs_dilation"}) {
    const std::size_t entries = attributes.List(name).size();
    if (entries != 0 && entries != spatial)
      return Bad(absl::StrCat(name, " has ", entries, " entries for ", spatial,
                              " spatial dimensions"));
  }
  for (const WindowDimension& window : windows)
    if (!window.is_valid())
      return Bad("strides, dilations and the kernel's sizes must be positive");
  return absl::OkStatus();
}

Inferred InferConvolution(Types in, const OpAttributes& attributes) {
  PODSIM_RETURN_IF_ERROR(NeedFloats(in));
  const Shape& input = in[0].shape;
  const Shape& kernel = in[1].shape;
  const ConvolutionDimensions dims = ConvolutionDimensionsOf(attributes);
  PODSIM_RETURN_IF_ERROR(CheckRole("input", dims.input, input.dims.size()));
  PODSIM_RETURN_IF_ERROR(CheckRole("kernel", dims.kernel, kernel.dims.size()));
  PODSIM_RETURN_IF_ERROR(CheckRole("output", dims.output, input.dims.size()));
  if (kernel.rank() != input.rank())
    return Bad(absl::StrCat("the input has ", input.rank(),
                            " dimensions, the kernel ", kernel.rank()));
  PODSIM_RETURN_IF_ERROR(CheckSizes(input, kernel, dims));
  PODSIM_RETURN_IF_ERROR(CheckGroups(input, kernel, dims));
  const std::vector<WindowDimension> windows =
      ConvolutionWindows(attributes, dims, input.dims, kernel.dims);
  PODSIM_RETURN_IF_ERROR(
      CheckWindows(attributes, dims.input.spatial.size(), windows));
  Shape result{Dims(input.dims.size())};
  const auto set = [&](std::int64_t dim, std::int64_t size, bool is_batch) {
    result.dims[static_cast<std::size_t>(dim)] = size;
    if (is_batch) result.batch_axis = static_cast<int>(dim);
  };
  set(dims.output.batch, FactorOf(input, dims.input.batch) / dims.batch_groups,
      dims.input.batch == input.batch_axis);
  set(dims.output.feature, FactorOf(kernel, dims.kernel.batch),
      dims.kernel.batch == kernel.batch_axis);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (windows[i].Outputs() < 1)
      return Bad(absl::StrCat("the window does not fit spatial dimension ", i));
    set(dims.output.spatial[i], windows[i].Outputs(), false);
  }
  return std::vector{ValueType{DType::kFloat32, result}};
}

void SetRole(const std::string& name, const ConvolutionRole& role,
             const char* batch, const char* feature, OpAttributes& attributes) {
  attributes.lists[name + batch] = {role.batch};
  attributes.lists[name + feature] = {role.feature};
  attributes.lists[name + "_spatial_dimensions"] = role.spatial;
}

OpAttributes AttributesOf(const ConvolutionDimensions& dims,
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
                    AttributesOf(of_backward, backward));
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
                       AttributesOf(of_sum, over));
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

OpCost ConvolutionCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  const ConvolutionDimensions dims =
      ConvolutionDimensionsOf(signature.attributes);
  const Dims kernel = DimsFor(signature.inputs[1].shape, rows);
  const Dims output = DimsFor(signature.outputs[0].shape, rows);
  const std::int64_t features =
      kernel[static_cast<std::size_t>(dims.kernel.batch)];
  cost.products.push_back(
      {.m = ProductOf(output) / features,
       .n = features / dims.groups(),
       .k = ProductOf(kernel) / features,
       .rounded_operands = signature.attributes.rounded_operands,
       .count = dims.groups()});
  return cost;
}

// Visits every pair of numbers that is multiplied, as it is read:
// visit(element of the result, input, kernel).
template <typename Visit>
void ForFactors(std::span<const Tensor> inputs, const Tensor& output,
                const OpAttributes& attributes, const Visit& visit) {
  const Tensor& x = inputs[0];
  const Tensor& w = inputs[1];
  const ConvolutionDimensions dims = ConvolutionDimensionsOf(attributes);
  const std::vector<WindowDimension> windows =
      ConvolutionWindows(attributes, dims, x.dims, w.dims);
  const Dims x_strides = StridesOf(x.dims);
  const auto at = [](auto& numbers, std::int64_t i) -> auto& {
    return numbers[static_cast<std::size_t>(i)];
  };
  const auto read = [&](const Tensor& tensor, std::int64_t i) {
    const double number = at(tensor.values, i);
    return attributes.rounded_operands ? RoundToBFloat16(number) : number;
  };
  const std::int64_t group_size = at(w.dims, dims.kernel.batch) / dims.groups();
  std::size_t element = 0;
  ForIndices(output.dims, [&](const Dims& to) {
    const std::int64_t feature = at(to, dims.output.feature);
    const std::int64_t group = feature / group_size;
    Dims kernel_sizes = w.dims;
    at(kernel_sizes, dims.kernel.batch) = 1;
    ForIndices(kernel_sizes, [&](const Dims& tap) {
      Dims from(x.dims.size());
      at(from, dims.input.batch) =
          at(to, dims.output.batch) +
          (dims.batch_groups > 1 ? group * at(output.dims, dims.output.batch)
                                 : 0);
      at(from, dims.input.feature) =
          at(tap, dims.kernel.feature) +
          (dims.feature_groups > 1 ? group * at(w.dims, dims.kernel.feature)
                                   : 0);
      for (std::size_t i = 0; i < windows.size(); ++i) {
        const std::int64_t place = windows[i].At(
            at(to, dims.output.spatial[i]), at(tap, dims.kernel.spatial[i]));
        if (place < 0) return;
        at(from, dims.input.spatial[i]) = place;
      }
      Dims weight = tap;
      at(weight, dims.kernel.batch) = feature;
      visit(element, read(x, OffsetOf(from, x_strides)),
            read(w, OffsetOf(weight, StridesOf(w.dims))));
    });
    ++element;
  });
}

void Convolution(std::span<const Tensor> inputs, const OpAttributes& attributes,
                 std::span<Tensor> outputs) {
  ForFactors(inputs, outputs[0], attributes,
             [&](std::size_t element, double x, double w) {
               outputs[0].values[element] += x * w;
             });
}

// As of MatMul (products.cc).
void ConvolutionError(std::span<const Tensor> inputs,
                      const OpAttributes& attributes,
                      std::span<const Tensor> outputs,
                      std::span<Tensor> bounds) {
  const auto k = static_cast<double>(ProductOf(inputs[1].dims));
  ForFactors(inputs, outputs[0], attributes,
             [&](std::size_t element, double x, double w) {
               bounds[0].values[element] += std::fabs(x * w);
             });
  for (double& bound : bounds[0].values)
    bound = SumError(k + 1) * bound + kTiny;
}

// Dimension numbers in letters: "NHWC", "HWIO" and what becomes of them.
ConvolutionRole RoleOf(const std::string& letters, char batch, char feature) {
  ConvolutionRole role;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const auto dim = static_cast<std::int64_t>(i);
    if (letters[i] == batch) role.batch = dim;
    if (letters[i] == feature) role.feature = dim;
  }
  for (const char spatial : {'D', 'H', 'W'})
    if (const auto i = letters.find(spatial); i != std::string::npos)
      role.spatial.push_back(static_cast<std::int64_t>(i));
  return role;
}

OpSample Sample(const char* input_letters, const ValueType& input,
                const char* kernel_letters, const ValueType& kernel,
                const char* output_letters, const ValueType& output,
                const std::vector<WindowDimension>& windows,
                std::int64_t feature_groups = 1,
                std::int64_t batch_groups = 1) {
  OpSample sample{.inputs = {input, kernel}, .outputs = {output}};
  sample.attributes = AttributesOf(
      {RoleOf(input_letters, 'N', 'C'), RoleOf(kernel_letters, 'O', 'I'),
       RoleOf(output_letters, 'N', 'C'), feature_groups, batch_groups},
      windows);
  return sample;
}

// Both usual layouts, dilations, groups of both kinds, padding that cuts; B in
// the input's batch, contracted, and as the output's features.
std::vector<OpSample> Samples() {
  std::vector<OpSample> samples = {
      Sample("NHWC", Batched({6, 5, 3}), "HWIO", Plain({3, 2, 3, 4}), "NHWC",
             Batched({3, 5, 4}),
             {{.low = 1, .high = 1, .stride = 2}, {.high = 1}}),
      Sample("NCHW", Batched({3, 5, 4}), "OIHW", Plain({4, 3, 2, 3}), "NCHW",
             Batched({4, 4, 6}),
             {{.low = 1, .dilation = 2}, {.base_dilation = 2, .high = 1}}),
      Sample("NHWC", Batched({4, 4, 6}), "HWIO", Plain({3, 3, 2, 6}), "NHWC",
             Batched({2, 2, 6}), {{}, {}}, 3),
      Sample("NWC", Plain({4, 5, 3}), "WIO", Plain({2, 3, 6}), "NWC",
             Plain({2, 4, 6}), {{}}, 1, 2),
      Sample("CHWN", Batched({5, 5, 3}), "IHWO", Batched({4, 4, 2}), "HWNC",
             Plain({2, 2, 3, 2}), {{}, {}}),
      Sample("NWC", Plain({2, 5, 3}), "OWI", Batched({2, 3}), "NWC",
             BatchedAt(2, {2, 4, 1}), {{}}),
      Sample("NWC", Plain({1, 6, 2}), "WIO", Plain({3, 2, 37}), "NWC",
             Plain({1, 5, 37}), {{.low = -1, .high = 2}}),
  };
  const std::size_t count = samples.size();
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back(samples[i]);
    samples.back().attributes.rounded_operands = true;
  }
  return samples;
}

constexpr OpEntry kOps[] = {
    // input, kernel -> sums of products of both under a moving window
    {.name = "convolution",
     .input_count = 2,
     .infer = InferConvolution,
     .gradient = ConvolutionGradient,
     .cost = ConvolutionCost,
     .product = ProductForm::kGeneral,
     .row_wise = IsByRows,
     .sums_batch = true,
     .reference = Convolution,
     .error = ConvolutionError,
     .samples = Samples},
};

}  // namespace

OpFamily ConvolutionOps() { return kOps; }

}  // namespace podsim
