// LeNet-5 [LeCun et al., Gradient-based learning applied to document
// recognition, 1998, section II.B] with its tanh and mean pooling, without its
// trained subsampling and sparse connections:
//
//   images [B, height, width] or with channels behind
//   twice: convolution 5x5 as large as its input, tanh, 2x2 means
//   per hidden width (120, 84): dense, tanh; dense to the logits
//
// The variant "lenet5_bn" has batch norm between a convolution and its tanh,
// over a core's examples or those of ModelConfig::batch_norm_group cores, with
// moving averages for evaluation.
//
// Images smaller than 16x16 stand in a frame of zeros that makes them 16x16:
// 8x8 ones have 4 on each side. The frame is the first convolution's padding.
#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/layers/convolution.h"
#include "models/layers/dense.h"
#include "models/layers/norm.h"
#include "models/zoo/classifier.h"
#include "models/zoo/named_models.h"

namespace podsim {
namespace {

constexpr std::int64_t kSmallestSide = 16;
constexpr std::int64_t kKernel = 5;

WindowSide Framed(WindowSide side, std::int64_t pixels) {
  const std::int64_t frame = std::max<std::int64_t>(0, kSmallestSide - pixels);
  side.low += frame / 2;
  side.high += frame - frame / 2;
  return side;
}

Value Images(Graph& graph, const Shape& example) {
  Shape images = example;
  if (images.rank() == 2) images.dims.push_back(1);
  const Value x = graph.Features(example);
  return images == example ? x : graph.Reshape(x, images, "images");
}

// What stands behind each convolution, before its tanh.
using Norm = std::function<Value(const std::string& name, Value x)>;

Value Convolved(Graph& graph, const std::string& name, Value x,
                std::int64_t channels, const Window& window, const Norm& norm) {
  if (norm == nullptr)
    return Conv2D(graph, name, x, channels, window, Activation::kTanh);
  x = Conv2D(graph, name, x, channels, window, Activation::kNone);
  x = norm(name + "/norm", x);
  return graph.Apply(OpCode("tanh"), {x}, {}, name + "/tanh")[0];
}

Value Logits(Graph& graph, Value images, std::span<const std::int64_t> hidden,
             std::int64_t classes, const Norm& norm) {
  const Shape& shape = graph.type(images).shape;
  const Window same = SameWindow(kKernel);
  const Window framed = {Framed(same.height, shape.dims[1]),
                         Framed(same.width, shape.dims[2])};
  Value x = Convolved(graph, "conv_0", images, 6, framed, norm);
  x = AvgPool(graph, x, TilingWindow(2), "pool_0");
  x = Convolved(graph, "conv_1", x, 16, same, norm);
  x = Flatten(graph, AvgPool(graph, x, TilingWindow(2), "pool_1"));
  int layer = 0;
  for (const std::int64_t width : hidden)
    x = Dense(graph, absl::StrCat("dense_", layer++), x, width,
              Activation::kTanh);
  return Dense(graph, absl::StrCat("dense_", layer), x, classes,
               Activation::kNone);
}

struct Parts {
  Value images;
  std::vector<std::int64_t> hidden;
};

absl::StatusOr<Parts> PartsOf(const ModelConfig& config, Graph& graph) {
  PODSIM_ASSIGN_OR_RETURN(const Shape example, ExampleShape(config));
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::int64_t> hidden,
                          HiddenWidths(config, {120, 84}));
  PODSIM_RETURN_IF_ERROR(CheckNoDropout(config));
  if (example.rank() != 2 && example.rank() != 3)
    return absl::InvalidArgumentError(
        absl::StrCat("model ", config.name(),
                     " takes images [height, width] or [height, width, "
                     "channels], not ",
                     ToString(example), "; another takes it, such as mlp"));
  const Value images = Images(graph, example);
  PODSIM_RETURN_IF_ERROR(graph.status());
  return Parts{images, hidden};
}

}  // namespace

absl::StatusOr<CompileInput> BuildLenet5(const ModelConfig& config,
                                         Graph& graph) {
  PODSIM_RETURN_IF_ERROR(CheckNoBatchNorm(config));
  PODSIM_ASSIGN_OR_RETURN(const Parts parts, PartsOf(config, graph));
  return Classifier(graph, Logits(graph, parts.images, parts.hidden,
                                  config.classes(), nullptr));
}

absl::StatusOr<CompileInput> BuildLenet5BatchNorm(const ModelConfig& config,
                                                  Graph& graph) {
  PODSIM_ASSIGN_OR_RETURN(const Parts parts, PartsOf(config, graph));
  const std::int64_t group = std::max(1, config.batch_norm_group());
  std::vector<VariableValue> states;
  const auto pass = [&](bool training) {
    const Norm norm = [&graph, &states, training, group](
                          const std::string& name, Value x) {
      return BatchNorm(graph, name, x, {.training = training, .group = group},
                       states);
    };
    return Classifier(graph, Logits(graph, parts.images, parts.hidden,
                                    config.classes(), norm));
  };
  const CompileInput evaluation = pass(/*training=*/false);
  graph.BeginSecondPass();
  CompileInput training = pass(/*training=*/true);
  training.evaluation = {{"loss", evaluation.loss},
                         {"accuracy", evaluation.correct}};
  training.states = std::move(states);
  return training;
}

}  // namespace podsim
