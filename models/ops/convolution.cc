// StableHLO's convolution, of which its own gradients are cases too.
//
// lists: window_strides, padding_low, padding_high, lhs_dilation, rhs_dilation;
// input_batch_dimension, input_feature_dimension, input_spatial_dimensions,
// kernel_input_feature_dimension, kernel_output_feature_dimension,
// kernel_spatial_dimensions, output_batch_dimension, output_feature_dimension,
// output_spatial_dimensions; feature_group_count, batch_group_count.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/ops/convolution_dimensions.h"
#include "models/ops/convolution_parts.h"
#include "models/ops/families.h"
#include "models/ops/rules.h"
#include "models/ops/shape_rules.h"
#include "models/ops/window_taps.h"

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
  const std::int64_t features = FactorOf(input, dims.input.feature);
  if (dims.feature_groups < 1 || features % dims.feature_groups != 0 ||
      features / dims.feature_groups != FactorOf(kernel, dims.kernel.feature) ||
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
  for (const WindowDimension& window : windows)
    if (!window.is_within_bounds())
      return Bad("a dilated operand or kernel is longer than 2^40 elements");
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

// A product of places (batch included) by taps (input features included) and
// by output features, for each group; it is idle where a tap shows no element.
OpCost ConvolutionCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  const ConvolutionDimensions dims =
      ConvolutionDimensionsOf(signature.attributes);
  const Dims input = DimsFor(signature.inputs[0].shape, rows);
  const Dims kernel = DimsFor(signature.inputs[1].shape, rows);
  const Dims output = DimsFor(signature.outputs[0].shape, rows);
  const auto size = [](const Dims& sizes, std::int64_t dim) {
    return sizes[static_cast<std::size_t>(dim)];
  };
  const std::int64_t features = size(kernel, dims.kernel.batch);
  MatrixProduct& product = cost.products.emplace_back();
  product.m = ProductOf(output) / features;
  product.n = features / dims.groups();
  product.k = ProductOf(kernel) / features;
  product.rounded_operands = signature.attributes.rounded_operands;
  product.count = dims.groups();
  const std::vector<WindowDimension> windows =
      ConvolutionWindows(signature.attributes, dims, input, kernel);
  double taps = 1;  // of one place after the other, whatever they show
  for (const WindowDimension& window : windows)
    taps *= static_cast<double>(window.Outputs()) *
            static_cast<double>(window.taps);
  // Each of them: for an example, an input feature and an output feature.
  product.idle_multiply_adds =
      (taps - ShownTaps(windows)) *
      static_cast<double>(size(output, dims.output.batch)) *
      static_cast<double>(size(kernel, dims.kernel.feature)) *
      static_cast<double>(product.n);
  return cost;
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

OpSample ConvolutionSample(const char* input_letters, const ValueType& input,
                           const char* kernel_letters, const ValueType& kernel,
                           const char* output_letters, const ValueType& output,
                           const std::vector<WindowDimension>& windows,
                           std::int64_t feature_groups = 1,
                           std::int64_t batch_groups = 1) {
  OpSample sample{.inputs = {input, kernel}, .outputs = {output}};
  sample.attributes = ConvolutionAttributes(
      {RoleOf(input_letters, 'N', 'C'), RoleOf(kernel_letters, 'O', 'I'),
       RoleOf(output_letters, 'N', 'C'), feature_groups, batch_groups},
      windows);
  return sample;
}

// Both usual layouts, dilations, groups of both kinds, padding that cuts; B in
// the input's batch, contracted, and as the output's features.
std::vector<OpSample> ConvolutionSamples() {
  std::vector<OpSample> samples = {
      ConvolutionSample("NHWC", Batched({6, 5, 3}), "HWIO", Plain({3, 2, 3, 4}),
                        "NHWC", Batched({3, 5, 4}),
                        {{.low = 1, .high = 1, .stride = 2}, {.high = 1}}),
      ConvolutionSample(
          "NCHW", Batched({3, 5, 4}), "OIHW", Plain({4, 3, 2, 3}), "NCHW",
          Batched({4, 4, 6}),
          {{.low = 1, .dilation = 2}, {.base_dilation = 2, .high = 1}}),
      ConvolutionSample("NHWC", Batched({4, 4, 6}), "HWIO", Plain({3, 3, 2, 6}),
                        "NHWC", Batched({2, 2, 6}), {{}, {}}, 3),
      ConvolutionSample("NHWC", Batched({4, 4, 5}), "HWIO", Plain({3, 2, 1, 5}),
                        "NHWC", Batched({4, 3, 5}), {{.low = 1, .high = 1}, {}},
                        5),
      ConvolutionSample("CHWN", Batched({4, 4, 5}), "IHWO", Batched({2, 3, 5}),
                        "HWNC", Plain({3, 2, 1, 5}), {{}, {}}, 1, 5),
      ConvolutionSample("NWC", Plain({4, 5, 3}), "WIO", Plain({2, 3, 6}), "NWC",
                        Plain({2, 4, 6}), {{}}, 1, 2),
      ConvolutionSample("CHWN", Batched({5, 5, 3}), "IHWO", Batched({4, 4, 2}),
                        "HWNC", Plain({2, 2, 3, 2}), {{}, {}}),
      ConvolutionSample("NWC", Plain({2, 5, 3}), "OWI", Batched({2, 3}), "NWC",
                        BatchedAt(2, {2, 4, 1}), {{}}),
      ConvolutionSample("NWC", Plain({1, 6, 2}), "WIO", Plain({3, 2, 37}),
                        "NWC", Plain({1, 5, 37}), {{.low = -1, .high = 2}}),
  };
  const std::size_t count = samples.size();
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back(samples[i]);
    samples.back().attributes.rounded_operands = true;
  }
  return samples;
}

constexpr OpEntry kConvolutionOps[] = {
    // input, kernel -> sums of products of both under a moving window
    {.name = "convolution",
     .input_count = 2,
     .infer = InferConvolution,
     .gradient = ConvolutionGradient,
     .cost = ConvolutionCost,
     .product = ProductForm::kGeneral,
     .row_wise = IsByRows,
     .sums_batch = true,
     .reference = EvaluateConvolution,
     .error = BoundConvolution,
     .samples = ConvolutionSamples},
};

}  // namespace

OpFamily ConvolutionOps() { return kConvolutionOps; }

}  // namespace podsim
