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

absl::StatusOr<Program> BuildMlp(const ModelConfig& config,
                                 const CompileOptions& options) {
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
  return Compile(graph,
                 {.loss = head.loss,
                  .weights = graph.ExampleWeights(),
                  .update = Optimizer,
                  .correct = head.correct},
                 options);
}

using Builder = absl::StatusOr<Program> (*)(const ModelConfig&,
                                            const CompileOptions&);

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

absl::StatusOr<Program> BuildProgram(const ModelConfig& config,
                                     const CompileOptions& options) {
  for (const NamedModel& model : kModels)
    if (config.name() == model.name) return model.build(config, options);
  return absl::InvalidArgumentError(
      absl::StrCat("no model is called '", config.name(),
                   "'; known: ", absl::StrJoin(ModelNames(), ", ")));
}

absl::StatusOr<Program> BuildProgram(const PlanBits& bits) {
  const UpdateNumbers& update = bits.update();
  return BuildProgram(
      bits.model(),
      {.bfloat16_products = bits.precision() == "bfloat16",
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
       .bucket_bytes = bits.bucket_bytes()});
}

}  // namespace podsim
