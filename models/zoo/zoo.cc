#include "models/zoo/zoo.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "models/optimizer/optimizer.h"
#include "models/zoo/named_models.h"

namespace podsim {
namespace {

using Builder = absl::StatusOr<CompileInput> (*)(const ModelConfig&, Graph&);

struct NamedModel {
  const char* name;
  Builder build;
};

constexpr NamedModel kModels[] = {
    {"mlp", BuildMlp},         {"logistic_regression", BuildLogisticRegression},
    {"lenet5", BuildLenet5},   {"lenet5_bn", BuildLenet5BatchNorm},
    {"encoder", BuildEncoder},
};

}  // namespace

std::vector<std::string> ModelNames() {
  std::vector<std::string> names;
  for (const NamedModel& model : kModels) names.emplace_back(model.name);
  return names;
}

absl::StatusOr<ModelProto> BuildModel(const ModelConfig& config) {
  for (const NamedModel& model : kModels) {
    if (config.name() != model.name) continue;
    Graph graph(config.name());
    PODSIM_ASSIGN_OR_RETURN(const CompileInput input,
                            model.build(config, graph));
    return ToProto(graph, input);
  }
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
