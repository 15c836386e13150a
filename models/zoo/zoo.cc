#include "models/zoo/zoo.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "models/optimizer/optimizer.h"
#include "models/zoo/mlp.h"

namespace podsim {
namespace {

absl::Status CheckPositive(const char* what, std::int64_t value) {
  if (value >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " is ", value, " but must be at least 1"));
}

absl::StatusOr<ModelProto> BuildMlp(const ModelConfig& config) {
  Shape example;
  for (const std::int64_t dim : config.example_shape()) {
    PODSIM_RETURN_IF_ERROR(CheckPositive("a size of the example shape", dim));
    example.dims.push_back(dim);
  }
  std::vector<std::int64_t> hidden;
  for (const std::int64_t width : config.hidden()) {
    PODSIM_RETURN_IF_ERROR(CheckPositive("a hidden layer's width", width));
    hidden.push_back(width);
  }
  PODSIM_RETURN_IF_ERROR(
      CheckPositive("the number of classes", config.classes()));

  Graph graph(config.name());
  const Value logits =
      Mlp(graph, graph.Features(example), hidden, config.classes());
  const auto head = graph.SoftmaxXent(logits, graph.Labels(), "xent");
  return ToProto(graph, {.loss = head.loss,
                         .weights = graph.ExampleWeights(),
                         .correct = head.correct});
}

using Builder = absl::StatusOr<ModelProto> (*)(const ModelConfig&);

struct NamedModel {
  const char* name;
  Builder build;
};

constexpr NamedModel kModels[] = {{"mlp", BuildMlp}};

}  // namespace

std::vector<std::string> ModelNames() {
  std::vector<std::string> names;
  for (const NamedModel& model : kModels) names.emplace_back(model.name);
  return names;
}

absl::StatusOr<ModelProto> BuildModel(const ModelConfig& config) {
  for (const NamedModel& model : kModels)
    if (config.name() == model.name) return model.build(config);
  return absl::InvalidArgumentError(
      absl::StrCat("no model is called '", config.name(),
                   "'; known: ", absl::StrJoin(ModelNames(), ", ")));
}

absl::StatusOr<Program> CompileModel(const ModelProto& model,
                                     const CompileOptions& options) {
  PODSIM_ASSIGN_OR_RETURN(Model parts, FromProto(model));
  if (parts.input.loss.present()) parts.input.update = Optimizer;
  return Compile(parts.graph, parts.input, options);
}

CompileOptions OptionsOf(const PlanBits& bits) {
  const UpdateNumbers& update = bits.update();
  return {.bfloat16_products = bits.precision() == "bfloat16",
          .rule = bits.optimizer().empty() ? "sgd" : bits.optimizer(),
          .rule_settings = {.momentum = bits.momentum(),
                            .beta1 = update.beta1(),
                            .beta2 = update.beta2(),
                            .epsilon = update.epsilon(),
                            .weight_decay = update.weight_decay(),
                            .trust_coefficient = update.trust_coefficient()},
          .weight_decay_exclude = {update.weight_decay_exclude().begin(),
                                   update.weight_decay_exclude().end()},
          .clip_norm = update.clip_norm(),
          .bucket_bytes = bits.bucket_bytes()};
}

absl::StatusOr<Program> BuildProgram(const ModelConfig& config,
                                     const CompileOptions& options) {
  PODSIM_ASSIGN_OR_RETURN(const ModelProto model, BuildModel(config));
  return CompileModel(model, options);
}

}  // namespace podsim
