#include "models/layers/convolution.h"

#include "absl/strings/str_cat.h"
#include "models/composites/expr.h"

namespace podsim {
namespace {

bool CheckImages(Graph& graph, Value x, const std::string& name) {
  if (!graph.Owns(x)) return false;  // its error is latched
  const Shape& shape = graph.type(x).shape;
  if (shape.rank() == 4 && shape.batch_axis == 0) return graph.status().ok();
  graph.Fail(absl::InvalidArgumentError(
      absl::StrCat(name, ": takes images [B, height, width, channels], not ",
                   ToString(graph.type(x)))));
  return false;
}

OpAttributes ConvolutionAttributes(const Window& window) {
  OpAttributes attributes;
  attributes.lists = {
      {"window_strides", {window.height.stride, window.width.stride}},
      {"padding_low", {window.height.low, window.width.low}},
      {"padding_high", {window.height.high, window.width.high}},
      {"input_batch_dimension", {0}},
      {"input_spatial_dimensions", {1, 2}},
      {"input_feature_dimension", {3}},
      {"kernel_spatial_dimensions", {0, 1}},
      {"kernel_input_feature_dimension", {2}},
      {"kernel_output_feature_dimension", {3}},
      {"output_batch_dimension", {0}},
      {"output_spatial_dimensions", {1, 2}},
      {"output_feature_dimension", {3}},
      {"feature_group_count", {1}},
      {"batch_group_count", {1}}};
  return attributes;
}

Expr Pool(const Expr& x, const char* word, const Window& window) {
  OpAttributes attributes;
  attributes.word = word;
  attributes.lists = {
      {"window_dimensions", {1, window.height.size, window.width.size, 1}},
      {"window_strides", {1, window.height.stride, window.width.stride, 1}},
      {"padding_low", {0, window.height.low, window.width.low, 0}},
      {"padding_high", {0, window.height.high, window.width.high, 0}}};
  return x.Apply("reduce_window", {}, std::move(attributes));
}

}  // namespace

Window SameWindow(std::int64_t size) { return StridedWindow(size, 1); }

Window StridedWindow(std::int64_t size, std::int64_t stride) {
  const WindowSide side = {
      .size = size, .stride = stride, .low = size / 2, .high = size / 2};
  return {side, side};
}

Window TilingWindow(std::int64_t size) {
  const WindowSide side = {.size = size, .stride = size};
  return {side, side};
}

Value Conv2D(Graph& graph, const std::string& name, Value x,
             std::int64_t features, const Window& window,
             Activation activation) {
  return Conv2D(graph, name, x, features, window,
                KernelHow{.activation = activation});
}

Value Conv2D(Graph& graph, const std::string& name, Value x,
             std::int64_t features, const Window& window,
             const KernelHow& how) {
  if (!CheckImages(graph, x, name)) return kNone;
  const Value kernel = graph.Variable(name + "/kernel",
                                      {{window.height.size, window.width.size,
                                        graph.type(x).shape.dims[3], features}},
                                      KernelInitializer(how));
  const Value bias = how.has_bias ? graph.Variable(name + "/bias", {{features}},
                                                   Initializer::kZeros)
                                  : kNone;
  const Expr images(graph, x, name);
  const Expr sums = images.Apply("convolution", {images.With(kernel)},
                                 ConvolutionAttributes(window));
  return BiasActivation(graph, sums.value(), bias, how.activation, name);
}

Value MaxPool(Graph& graph, Value x, const Window& window,
              const std::string& name) {
  if (!CheckImages(graph, x, "MaxPool")) return kNone;
  return Pool({graph, x, name}, "maximum", window).value();
}

Value AvgPool(Graph& graph, Value x, const Window& window,
              const std::string& name) {
  if (!CheckImages(graph, x, "AvgPool")) return kNone;
  const auto elements =
      static_cast<double>(window.height.size * window.width.size);
  return (Pool({graph, x, name}, "add", window) * (1 / elements)).value();
}

}  // namespace podsim
