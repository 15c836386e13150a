// ResNet [He et al., Deep residual learning for image recognition, 2016] in its
// version 1.5, whose blocks have their stride in the 3x3 convolution instead of
// the first 1x1, as MLPerf trains it and torchvision ships it:
//
//   images [B, height, width, channels]; 7x7 convolution of 64 by 2, norm,
//   relu, the largest of 3x3 by 2
//   four stages of residual blocks of 64, 128, 256 and 512 channels, each but
//   the first by 2 in its first block; from 50 layers on a block has 4 times as
//   many channels outside, by way of 1x1 convolutions
//   the mean over the pixels, a dense layer "head" to the logits
//
// depth: 18, 34, 50, 101 or 152 layers. Convolutions have no bias. Batch norm
// is over a core's examples, or those of ModelConfig::batch_norm_group cores,
// with moving averages for evaluation; the last one of a block begins with a
// scale of 0 [Goyal et al., Accurate, large minibatch SGD, 2017, section 5.1].
// Kernels begin He-normal, the head's normal with deviation 0.02 (0.01 in that
// paper).
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/composites/expr.h"
#include "models/layers/convolution.h"
#include "models/layers/dense.h"
#include "models/layers/norm.h"
#include "models/zoo/classifier.h"
#include "models/zoo/model_numbers.h"
#include "models/zoo/named_models.h"

namespace podsim {
namespace {

constexpr std::int64_t kFirstChannels = 64;
constexpr std::int64_t kBottleneck = 4;  // channels outside, of those inside
// Of the moving averages: tensorflow/tpu, models/official/resnet; torchvision
// has the same as 1 - 0.1.
constexpr double kMovingMomentum = 0.9;

struct ResnetSizes {
  std::int64_t depth = 50;
  std::int64_t activation_bytes = 2;
};

constexpr NumberField<ResnetSizes> kResnetFields[] = {
    {"depth", &ResnetSizes::depth, 18, 152}, ActivationBytes<ResnetSizes>()};

// Table 1 of the paper.
struct ResnetDepth {
  std::int64_t layers;
  int blocks[4];
  bool has_bottleneck;
};

struct ResnetHow {
  ResnetDepth depth;
  DType activations = DType::kBFloat16;
};

constexpr ResnetDepth kDepths[] = {{18, {2, 2, 2, 2}, false},
                                   {34, {3, 4, 6, 3}, false},
                                   {50, {3, 4, 6, 3}, true},
                                   {101, {3, 4, 23, 3}, true},
                                   {152, {3, 8, 36, 3}, true}};

absl::StatusOr<ResnetHow> ResnetHowOf(const ModelConfig& config) {
  PODSIM_ASSIGN_OR_RETURN(const ResnetSizes sizes,
                          SizesOf<ResnetSizes>(config, kResnetFields));
  PODSIM_ASSIGN_OR_RETURN(const DType activations,
                          ActivationType(sizes.activation_bytes));
  for (const ResnetDepth& depth : kDepths)
    if (depth.layers == sizes.depth) return ResnetHow{depth, activations};
  return absl::InvalidArgumentError(
      absl::StrCat("model_config: depth is ", sizes.depth,
                   "; allowed: 18, 34, 50, 101 and 152"));
}

// What one pass appends.
class ResnetPass {
 public:
  ResnetPass(Graph& graph, const ResnetHow& how, const MovingNorm& norm,
             std::vector<VariableValue>& states)
      : graph_(graph), how_(how), norm_(norm), states_(states) {}

  // In float32.
  Value Logits(Value images, std::int64_t classes) {
    const ComputesIn activations(graph_, how_.activations);
    Value x = Relu("conv_0", Convolved("conv_0", images, kFirstChannels, 7, 2));
    x = MaxPool(graph_, x, StridedWindow(3, 2), "pool_0");
    std::int64_t channels = kFirstChannels;
    for (int stage = 0; stage < 4; ++stage, channels *= 2)
      for (int block = 0; block < how_.depth.blocks[stage]; ++block)
        x = Block(absl::StrCat("stage_", stage, "/block_", block), x, channels,
                  block == 0 && stage > 0 ? 2 : 1);
    const Expr pixels(graph_, x, "pool");
    const Value logits =
        Projection(graph_, "head", pixels.Mean({1, 2}).value(), classes,
                   KernelHow{.initializer = Initializer::kSmallNormal});
    return graph_.Converted(logits, DType::kFloat32);
  }

 private:
  // Convolution and norm, without an activation.
  Value Convolved(const std::string& name, Value x, std::int64_t channels,
                  std::int64_t size, std::int64_t stride,
                  Initializer scale = Initializer::kOnes) {
    MovingNorm norm = norm_;
    norm.scale = scale;
    x = Conv2D(
        graph_, name, x, channels, StridedWindow(size, stride),
        KernelHow{.has_bias = false, .initializer = Initializer::kHeNormal});
    return BatchNorm(graph_, name + "/norm", x, norm, states_);
  }

  Value Relu(const std::string& name, Value x) {
    return graph_.Relu(x, name + "/relu");
  }

  Value Block(const std::string& name, Value x, std::int64_t channels,
              std::int64_t stride) {
    const auto part = [&](int number) {
      return absl::StrCat(name, "/conv_", number);
    };
    const bool bottleneck = how_.depth.has_bottleneck;
    const std::int64_t outside = channels * (bottleneck ? kBottleneck : 1);
    Value y = Convolved(part(0), x, channels, bottleneck ? 1 : 3,
                        bottleneck ? 1 : stride);
    y = Relu(part(0), y);
    if (bottleneck) {
      y = Relu(part(1), Convolved(part(1), y, channels, 3, stride));
      y = Convolved(part(2), y, outside, 1, 1, Initializer::kZeros);
    } else {
      y = Convolved(part(1), y, outside, 3, 1, Initializer::kZeros);
    }
    if (!graph_.Owns(x)) return kNone;  // its error is latched
    if (stride > 1 || graph_.type(x).shape.dims[3] != outside)
      x = Convolved(name + "/shortcut", x, outside, 1, stride);
    return Relu(name, graph_.Add(y, x, name + "/add"));
  }

  Graph& graph_;
  const ResnetHow& how_;
  const MovingNorm norm_;
  std::vector<VariableValue>& states_;
};

}  // namespace

absl::StatusOr<std::vector<ModelInput>> ResnetInputs(
    const ModelConfig& config) {
  PODSIM_RETURN_IF_ERROR(ResnetHowOf(config).status());
  return std::vector<ModelInput>();
}

absl::StatusOr<CompileInput> BuildResnet(const ModelConfig& config,
                                         Graph& graph) {
  PODSIM_ASSIGN_OR_RETURN(const ResnetHow how, ResnetHowOf(config));
  PODSIM_ASSIGN_OR_RETURN(const Shape example, ExampleShape(config));
  PODSIM_RETURN_IF_ERROR(CheckMostHidden(config, 0));
  PODSIM_RETURN_IF_ERROR(CheckNoDropout(config));
  if (example.rank() != 3)
    return absl::InvalidArgumentError(absl::StrCat(
        "model ", config.name(), " takes images [height, width, channels], ",
        "not ", ToString(example)));
  const Value images = graph.Features(example);
  std::vector<VariableValue> states;
  const auto pass = [&](bool training) {
    const MovingNorm norm = {
        .training = training,
        .momentum = kMovingMomentum,
        .group = std::max<std::int64_t>(1, config.batch_norm_group())};
    return Classifier(
        graph,
        ResnetPass(graph, how, norm, states).Logits(images, config.classes()));
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
